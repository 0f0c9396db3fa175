package inferencegateway.upstream;

/**
 * Joins pieces of text: a surrogate pair that was split over two pieces becomes whole, a lone half
 * becomes U+FFFD. Keeps at most one char back.
 */
final class TextSeam {

  private static final char NONE = 0;
  private static final String REPLACEMENT = "\uFFFD";

  private char high = NONE;

  /** What can be shown after this piece; may be empty. */
  String join(String piece) {
    if (piece.isEmpty() || (high == NONE && !hasSurrogate(piece))) {
      return piece;
    }
    String text = high == NONE ? piece : high + piece;
    high = NONE;
    char last = text.charAt(text.length() - 1);
    if (Character.isHighSurrogate(last)) {
      high = last;
      text = text.substring(0, text.length() - 1);
    }
    return repair(text);
  }

  /** Nothing more comes: U+FFFD if half a character is left, else empty. */
  String end() {
    String rest = high == NONE ? "" : REPLACEMENT;
    high = NONE;
    return rest;
  }

  private static boolean hasSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static String repair(String text) {
    StringBuilder repaired = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
        .forEach(repaired::appendCodePoint);
    return repaired.toString();
  }
}
