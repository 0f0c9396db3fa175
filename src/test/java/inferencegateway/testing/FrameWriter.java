package inferencegateway.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Puts frames on the wire, each with one write. Any thread. */
final class FrameWriter {
  static final int MAX_FRAME = 16_384;
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final OutputStream out;

  FrameWriter(OutputStream out) {
    this.out = out;
  }

  void preface() {
    raw(PREFACE);
  }

  void frame(int type, int flags, int stream, byte[] payload) {
    raw(bytesOf(type, flags, stream, payload));
  }

  void frame(FrameType type, int flags, int stream, byte[] payload) {
    frame(type.ordinal(), flags, stream, payload);
  }

  void frame(FrameType type, int stream, int value) {
    frame(type, 0, stream, ByteBuffer.allocate(4).putInt(value).array());
  }

  /** HEADERS and as many CONTINUATION frames as it takes; nothing may come between them. */
  void headers(int stream, byte[] block, boolean endStream) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    int at = 0;
    do {
      int size = Math.min(MAX_FRAME, block.length - at);
      FrameType type = at == 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
      int flags = at == 0 && endStream ? Frame.END_STREAM : 0;
      flags |= at + size == block.length ? Frame.END_HEADERS : 0;
      byte[] part = java.util.Arrays.copyOfRange(block, at, at + size);
      frames.writeBytes(bytesOf(type.ordinal(), flags, stream, part));
      at += size;
    } while (at < block.length);
    raw(frames.toByteArray());
  }

  synchronized void raw(byte[] bytes) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] bytesOf(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }
}
