package inferencegateway.call;

/** Texts cut to what they cost on the wire, at a code point. */
final class Shortened {

  private static final String MARK = "...";

  private Shortened() {}

  /** As UTF-8: at most {@code maxBytes}. */
  static String utf8(String text, int maxBytes) {
    return cut(text, maxBytes, false);
  }

  /**
   * As gRPC's percent-encoded message, where a byte outside of printable ASCII takes three: at most
   * {@code maxBytes}.
   */
  static String percentEncoded(String text, int maxBytes) {
    return cut(text, maxBytes, true);
  }

  private static String cut(String text, int maxBytes, boolean percent) {
    int cost = 0;
    int fits = 0; // Up to here the text and the mark fit.
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      cost += cost(codePoint, percent);
      i += Character.charCount(codePoint);
      if (cost > maxBytes) {
        return text.substring(0, fits) + MARK;
      }
      if (cost <= maxBytes - MARK.length()) {
        fits = i;
      }
    }
    return text;
  }

  private static int cost(int codePoint, boolean percent) {
    int bytes = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    boolean plain = codePoint >= ' ' && codePoint < 0x7f && codePoint != '%';
    return percent && !plain ? 3 * bytes : bytes;
  }
}
