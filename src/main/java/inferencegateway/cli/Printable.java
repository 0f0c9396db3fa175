package inferencegateway.cli;

/** Other people's words on somebody's terminal: nothing in them may steer it. */
final class Printable {

  private Printable() {}

  /** Control characters, also those that turn the writing direction, become question marks. */
  static String of(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints().map(c -> isHarmless(c) ? c : '?').forEach(clean::appendCodePoint);
    return clean.toString();
  }

  private static boolean isHarmless(int c) {
    int type = Character.getType(c);
    return type != Character.CONTROL
        && type != Character.FORMAT
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR
        && type != Character.SURROGATE;
  }
}
