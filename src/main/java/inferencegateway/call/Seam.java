package inferencegateway.call;

/**
 * Where the second part of an answer begins. White space at the end of the first part is not sent
 * as its beginning: chat templates differ in whether they keep it, and tokens mostly begin with a
 * space rather than end with one. The second backend writes it again, and that is not passed on.
 *
 * <p>Thread: the call's loop.
 */
final class Seam {

  private final String tail;
  private int met;
  private boolean closed;

  /**
   * @param tail what was passed on and will be written again
   */
  Seam(String tail) {
    this.tail = tail;
  }

  /** The text without white space at its end. */
  static String beginning(CharSequence text) {
    int end = text.length();
    while (end > 0 && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.subSequence(0, end).toString();
  }

  static boolean isBlank(String text) {
    return text.chars().allMatch(c -> isSpace((char) c));
  }

  /** As Python's strip, which templates use, sees it. */
  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
  }

  /** What of the next piece is new. Where it was written otherwise this time, all of it is. */
  String join(String text) {
    int from = 0;
    while (!closed && from < text.length()) {
      closed = met == tail.length() || tail.charAt(met) != text.charAt(from);
      if (!closed) {
        met++;
        from++;
      }
    }
    return text.substring(from);
  }
}
