package inferencegateway.testing;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One frame as it came in. A header block that was cut into CONTINUATION frames appears as one
 * HEADERS frame with the whole block.
 *
 * @param stream 0 for the connection itself
 * @param headers of HEADERS frames only
 * @param atNanos {@link System#nanoTime} when its last byte was read
 */
public record Frame(
    FrameType type,
    int flags,
    int stream,
    byte[] payload,
    @Nullable HeaderList headers,
    long atNanos) {

  static final int END_STREAM = 0x1;
  static final int ACK = 0x1;
  static final int END_HEADERS = 0x4;
  static final int PADDED = 0x8;
  static final int PRIORITY = 0x20;

  public int length() {
    return payload.length;
  }

  public boolean is(FrameType wanted) {
    return type == wanted;
  }

  /** DATA and HEADERS only: the server will send nothing more on this stream. */
  public boolean endsStream() {
    return (type == FrameType.DATA || type == FrameType.HEADERS) && (flags & END_STREAM) != 0;
  }

  /** SETTINGS and PING only. */
  public boolean isAck() {
    return (type == FrameType.SETTINGS || type == FrameType.PING) && (flags & ACK) != 0;
  }

  /** RFC 9113 section 7, for RST_STREAM and GOAWAY. */
  public int errorCode() {
    return switch (type) {
      case RST_STREAM -> ByteBuffer.wrap(payload).getInt(0);
      case GOAWAY -> ByteBuffer.wrap(payload).getInt(4);
      default -> throw new IllegalStateException(type + " carries no error code");
    };
  }

  /** What a GOAWAY says beside its code, for instance {@code too_many_pings}. */
  public String debugData() {
    return new String(payload, 8, payload.length - 8, java.nio.charset.StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    String what = headers == null ? payload.length + " bytes" : headers.toString();
    String code =
        type == FrameType.RST_STREAM || type == FrameType.GOAWAY ? " code=" + errorCode() : "";
    return type
        + " stream="
        + stream
        + " flags=0x"
        + Integer.toHexString(flags)
        + code
        + " "
        + what;
  }
}
