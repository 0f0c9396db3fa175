package inferencegateway.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;

/** A backend that does to its sockets what a test's script says; one thread per connection. */
final class RawServer implements AutoCloseable {

  /** What is done with one accepted connection; closed when it returns. */
  interface Script {
    void run(Peer peer) throws Exception;
  }

  private final ServerSocket server;
  private final Script script;
  private final AtomicInteger accepted = new AtomicInteger();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  RawServer(Script script) throws IOException {
    this(InetAddress.getByName("127.0.0.1"), ServerSocketFactory.getDefault(), script);
  }

  RawServer(InetAddress address, ServerSocketFactory factory, Script script) throws IOException {
    this.script = script;
    this.server = factory.createServerSocket();
    server.setReuseAddress(true);
    server.bind(new InetSocketAddress(address, 0), 50);
    daemon(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  int accepted() {
    return accepted.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        int number = accepted.incrementAndGet();
        daemon(() -> serve(new Peer(socket, number)));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Peer peer) {
    try {
      script.run(peer);
    } catch (Exception e) {
      // What the script met is for the test to find out on the client's side.
    } finally {
      peer.close();
    }
  }

  /** Ends all connections by RST. */
  void resetAll() throws IOException {
    for (Socket socket : sockets) {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  static void daemon(Runnable task) {
    Thread thread = new Thread(task, "raw-server");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** The server's end of one connection. */
  static final class Peer {
    final Socket socket;

    /** 1 for the first connection. */
    final int number;

    Peer(Socket socket, int number) {
      this.socket = socket;
      this.number = number;
    }

    private void close() {
      try {
        socket.close();
      } catch (IOException e) {
        // It is gone either way.
      }
    }

    /** Reads one request and returns its head, or an empty string at the end. */
    String request() throws IOException {
      String head = requestHead();
      socket.getInputStream().readNBytes(contentLength(head));
      return head;
    }

    /** Reads one request and returns its body. */
    byte[] requestBody() throws IOException {
      return socket.getInputStream().readNBytes(contentLength(requestHead()));
    }

    private String requestHead() throws IOException {
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
        int b = in.read();
        if (b < 0) {
          return "";
        }
        head.write(b);
      }
      return head.toString(StandardCharsets.US_ASCII);
    }

    private static int contentLength(String head) {
      for (String line : head.split("\r\n")) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          return Integer.parseInt(line.substring(15).trim());
        }
      }
      return 0;
    }

    void send(String text) throws IOException {
      send(text.getBytes(StandardCharsets.UTF_8));
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** A whole small answer. */
    void answer(String body) throws IOException {
      send("HTTP/1.1 200 OK\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Ends the connection by RST. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    /** Waits for the client's FIN or RST; whether it came in time. */
    boolean endsWithin(int millis) throws IOException {
      socket.setSoTimeout(millis);
      try {
        while (socket.getInputStream().read() >= 0) {
          continue;
        }
        return true;
      } catch (java.net.SocketTimeoutException late) {
        return false;
      } catch (IOException reset) {
        return true;
      }
    }

    static void await(CountDownLatch latch) throws InterruptedException {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the test did not go on");
      }
    }
  }
}
