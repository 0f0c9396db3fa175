package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/** A client that sees bytes: no HTTP library stands between a test and what the simulator sent. */
final class RawClient implements AutoCloseable {

  private static final int READ_TIMEOUT_MILLIS = 10_000;

  private final Socket socket;
  private final InputStream in;
  private boolean reset;

  RawClient(Simulator simulator) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), simulator.port());
      socket.setSoTimeout(READ_TIMEOUT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A streamed chat, one user message, over a connection that closes afterwards. */
  static String stream(Simulator simulator, String prompt, String more) {
    return chat(simulator, true, prompt, more);
  }

  /** The same, not streamed. */
  static String unary(Simulator simulator, String prompt, String more) {
    return chat(simulator, false, prompt, more);
  }

  private static String chat(Simulator simulator, boolean stream, String prompt, String more) {
    try (RawClient client = new RawClient(simulator)) {
      return client.post(body(stream, prompt, more), "connection: close").readToEnd();
    }
  }

  /** A chat body; {@code more} is further fields with a comma in front, or empty. */
  static String body(boolean stream, String prompt, String more) {
    return "{\"stream\":"
        + stream
        + ",\"messages\":[{\"role\":\"user\",\"content\":\""
        + prompt
        + "\"}]"
        + more
        + "}";
  }

  RawClient post(String body, String... headers) {
    return send("POST /v1/chat/completions", body, headers);
  }

  RawClient get(String path, String... headers) {
    return send("GET " + path, "", headers);
  }

  private RawClient send(String start, String body, String... headers) {
    StringBuilder head = new StringBuilder(start).append(" HTTP/1.1\r\nhost: test\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("content-length: ").append(body.getBytes(UTF_8).length).append("\r\n\r\n");
    return raw(head + body);
  }

  RawClient raw(String bytes) {
    try {
      socket.getOutputStream().write(bytes.getBytes(UTF_8));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Up to the end of the stream or a reset. Bytes as Latin-1 characters, so that none is lost. */
  String readToEnd() {
    return readWhile("");
  }

  /** Up to and including a text, or the end. */
  String readUntil(String text) {
    return readWhile(text);
  }

  private String readWhile(String stop) {
    StringBuilder read = new StringBuilder();
    try {
      for (int next = in.read(); next >= 0; next = in.read()) {
        read.append((char) next);
        int tail = Math.max(0, read.length() - stop.length());
        if (!stop.isEmpty() && read.indexOf(stop, tail) >= 0) {
          break;
        }
      }
    } catch (SocketException connectionReset) {
      reset = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return read.toString();
  }

  boolean sawReset() {
    return reset;
  }

  /** Latin-1 characters back to the text they stand for. */
  static String utf8(String latin1) {
    return new String(latin1.getBytes(ISO_8859_1), UTF_8);
  }

  /** Closes by reset, as a client that crashes. */
  void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes in an orderly way, in the middle of whatever is going on. */
  void leave() {
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
