package inferencegateway.call;

import inferencegateway.chat.Delta;

/**
 * Deltas that came while the caller was not ready, merged. Bounded by one message and what one read
 * from the network holds, since reading stops while that much waits here. Reasoning comes before
 * text in an answer, so each may be kept by itself.
 */
final class Backlog {

  private final StringBuilder reasoning = new StringBuilder(0);
  private final StringBuilder text = new StringBuilder(0);

  boolean isEmpty() {
    return reasoning.length() == 0 && text.length() == 0;
  }

  int chars() {
    return reasoning.length() + text.length();
  }

  void add(Delta delta) {
    reasoning.append(delta.reasoning());
    text.append(delta.text());
  }

  /**
   * The next piece in order; not to be called when empty.
   *
   * @param maxChars at least 2; a surrogate pair is never cut
   */
  Delta take(int maxChars) {
    String first = cut(reasoning, maxChars);
    return new Delta(cut(text, maxChars - first.length()), first);
  }

  private static String cut(StringBuilder from, int maxChars) {
    int end = Math.min(from.length(), maxChars);
    if (end > 0 && end < from.length() && Character.isHighSurrogate(from.charAt(end - 1))) {
      end--;
    }
    String piece = from.substring(0, end);
    from.delete(0, end);
    if (from.length() == 0) {
      from.trimToSize(); // A burst may have made it large; the call may go on for long.
    }
    return piece;
  }
}
