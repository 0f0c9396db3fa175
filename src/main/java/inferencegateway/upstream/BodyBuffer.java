package inferencegateway.upstream;

import java.util.Arrays;

/** Collects a body up to a limit. */
final class BodyBuffer {

  private final int limit;
  private byte[] bytes;
  private int length;

  BodyBuffer(int limit) {
    this.limit = limit;
    this.bytes = new byte[Math.min(limit, 4_096)];
  }

  /** False when it went over the limit; what fits is kept. */
  boolean add(byte[] more, int offset, int count) {
    int taken = Math.min(count, limit - length);
    if (length + taken > bytes.length) {
      bytes = Arrays.copyOf(bytes, grown(length + taken));
    }
    System.arraycopy(more, offset, bytes, length, taken);
    length += taken;
    return taken == count;
  }

  private int grown(int needed) {
    return (int) Math.min(limit, Math.max(needed, bytes.length * 2L));
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }
}
