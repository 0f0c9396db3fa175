package inferencegateway.telemetry;

/** Keeps text from outside on its line: nothing in it can end the line or steer a terminal. */
final class LineText {

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private LineText() {}

  static void appendEscaped(StringBuilder out, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> appendVisible(out, c);
      }
    }
  }

  /** In quotes where a reader, or a tool that splits at blanks, would need them. */
  static void appendValue(StringBuilder out, String text) {
    if (isPlain(text)) {
      out.append(text);
      return;
    }
    out.append('"');
    appendEscaped(out, text.replace("\\", "\\\\").replace("\"", "\\\""));
    out.append('"');
  }

  private static void appendVisible(StringBuilder out, char c) {
    if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || isDirection(c)) {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        out.append(HEX[(c >> shift) & 0xf]);
      }
    } else {
      out.append(c);
    }
  }

  /** Marks that make text read in another order than it is written. */
  private static boolean isDirection(char c) {
    return (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
  }

  private static boolean isPlain(String text) {
    return !text.isEmpty()
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\');
  }
}
