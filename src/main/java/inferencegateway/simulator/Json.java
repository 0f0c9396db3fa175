package inferencegateway.simulator;

/** Text as the inside of a JSON string. */
final class Json {

  private Json() {}

  static String quote(String text) {
    return '"' + escape(text) + '"';
  }

  static String escape(String text) {
    StringBuilder out = new StringBuilder(text.length() + 8);
    for (int i = 0; i < text.length(); i++) {
      append(out, text.charAt(i));
    }
    return out.toString();
  }

  private static void append(StringBuilder out, char c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (c < ' ' || Character.isSurrogate(c)) {
          out.append(unit(c));
        } else {
          out.append(c);
        }
      }
    }
  }

  /** Every UTF-16 unit as an escape, which is legal and rare. */
  static String escapeAll(String text) {
    StringBuilder out = new StringBuilder(text.length() * 6);
    text.chars().forEach(c -> out.append(unit((char) c)));
    return out.toString();
  }

  private static String unit(char c) {
    return "\\u" + Integer.toHexString(0x10000 | c).substring(1);
  }
}
