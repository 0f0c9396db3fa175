package inferencegateway.chat;

/**
 * The next piece of an answer: text, reasoning or both; never neither. Empty, not null, where a
 * part is missing.
 */
public record Delta(String text, String reasoning) {

  public static Delta text(String text) {
    return new Delta(text, "");
  }

  /** Both pieces in order, as one. */
  public Delta then(Delta next) {
    return new Delta(text.concat(next.text), reasoning.concat(next.reasoning));
  }
}
