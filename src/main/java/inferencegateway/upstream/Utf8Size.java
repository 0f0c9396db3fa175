package inferencegateway.upstream;

/** How long text is in UTF-8, without encoding it. */
final class Utf8Size {

  private Utf8Size() {}

  /** Half of a surrogate pair counts as the three bytes of U+FFFD. */
  static long of(String text) {
    long size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        size += 1;
      } else if (c < 0x800) {
        size += 2;
      } else {
        size += Character.isSurrogate(c) && isPair(text, i) ? 2 : 3;
      }
    }
    return size;
  }

  private static boolean isPair(String text, int i) {
    boolean high = Character.isHighSurrogate(text.charAt(i));
    int other = high ? i + 1 : i - 1;
    return other >= 0
        && other < text.length()
        && (high
            ? Character.isLowSurrogate(text.charAt(other))
            : Character.isHighSurrogate(text.charAt(other)));
  }
}
