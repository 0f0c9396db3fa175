package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Bytes that should be UTF-8. */
final class WireText {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final char REPLACEMENT = '\uFFFD';

  private WireText() {}

  static boolean isAscii(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int i = offset;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      if (((long) LONGS.get(bytes, i) & HIGH_BITS) != 0) {
        return false;
      }
    }
    for (; i < end; i++) {
      if (bytes[i] < 0) {
        return false;
      }
    }
    return true;
  }

  /** At most {@code limit} chars of it, and no half of a pair at the end. */
  static String cut(String text, int limit) {
    if (text.length() <= limit) {
      return text;
    }
    boolean splits =
        Character.isHighSurrogate(text.charAt(limit - 1))
            && Character.isLowSurrogate(text.charAt(limit));
    return text.substring(0, splits ? limit - 1 : limit);
  }

  /**
   * Invalid parts become U+FFFD, one for each maximal subpart (Unicode 3.9, as browsers do). Java's
   * own decoding differs only for raw surrogates, and always leaves a U+FFFD where it repairs.
   */
  static String decode(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, length, UTF_8);
    return text.indexOf(REPLACEMENT) < 0 ? text : repair(bytes, offset, length);
  }

  private static String repair(byte[] bytes, int offset, int length) {
    StringBuilder text = new StringBuilder(length);
    int end = offset + length;
    int i = offset;
    while (i < end) {
      int size = validPrefix(bytes, i, end);
      boolean whole = size == expectedSize(bytes[i] & 0xFF);
      if (whole) {
        text.append(new String(bytes, i, size, UTF_8));
      } else {
        text.append(REPLACEMENT);
      }
      i += size;
    }
    return text.toString();
  }

  /** Bytes from {@code at} on that begin a well-formed sequence (Unicode table 3-7); 1 or more. */
  private static int validPrefix(byte[] bytes, int at, int end) {
    int lead = bytes[at] & 0xFF;
    int expected = expectedSize(lead);
    int size = 1;
    while (size < expected && at + size < end && continues(lead, size, bytes[at + size] & 0xFF)) {
      size++;
    }
    return size;
  }

  /** 0 for a byte that begins nothing. */
  private static int expectedSize(int lead) {
    if (lead < 0x80) {
      return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
      return 0;
    }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }

  private static boolean continues(int lead, int position, int next) {
    int low = 0x80;
    int high = 0xBF;
    if (position == 1) {
      low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : low;
      high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : high;
    }
    return next >= low && next <= high;
  }
}
