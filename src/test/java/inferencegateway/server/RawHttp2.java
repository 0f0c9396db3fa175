package inferencegateway.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A caller that speaks HTTP/2 frame by frame, to do what a well-behaved one would not. */
final class RawHttp2 implements AutoCloseable {

  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;

  record Frame(int type, int flags, int stream, byte[] payload) {
    boolean ack() {
      return (flags & 1) != 0;
    }

    /** Of RST_STREAM and GOAWAY. */
    int errorCode() {
      int at = type == GOAWAY ? 4 : 0;
      return (payload[at] & 0xff) << 24
          | (payload[at + 1] & 0xff) << 16
          | (payload[at + 2] & 0xff) << 8
          | (payload[at + 3] & 0xff);
    }

    String debugData() {
      return new String(payload, 8, payload.length - 8, StandardCharsets.UTF_8);
    }
  }

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  RawHttp2(Socket socket) throws IOException {
    this.socket = socket;
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(SETTINGS, 0, 0, new byte[0]);
  }

  void send(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream frame = new DataOutputStream(bytes);
    frame.writeByte(payload.length >> 16);
    frame.writeShort(payload.length);
    frame.writeByte(type);
    frame.writeByte(flags);
    frame.writeInt(stream);
    frame.write(payload);
    out.write(bytes.toByteArray());
    out.flush();
  }

  void ping() throws IOException {
    send(PING, 0, 0, new byte[8]);
  }

  void reset(int stream) throws IOException {
    send(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
  }

  /** Opens a call and leaves it open. */
  void open(int stream, String path, Map<String, String> more) throws IOException {
    Map<String, String> headers = new HashMap<>(more);
    headers.put("content-type", "application/grpc");
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    header(block, ":method", "POST");
    header(block, ":scheme", "http");
    header(block, ":path", path);
    header(block, ":authority", "localhost");
    for (Map.Entry<String, String> each : headers.entrySet()) {
      header(block, each.getKey(), each.getValue());
    }
    send(HEADERS, 4, stream, block.toByteArray());
  }

  /** RFC 7541, section 6.2.2: literal, not indexed, new name, no Huffman code. */
  private static void header(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    block.write(name.length());
    block.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  Frame read() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    byte[] payload = new byte[length];
    in.readFully(payload);
    return new Frame(type, flags, stream, payload);
  }

  /** The next frame of that type; others are passed over. */
  Frame next(int type) throws IOException {
    Frame frame = read();
    while (frame.type() != type) {
      frame = read();
    }
    return frame;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
