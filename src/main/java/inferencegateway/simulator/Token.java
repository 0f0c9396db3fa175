package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * One token of an answer.
 *
 * @param text as a reader sees it, leading space included
 * @param json the bytes that stand for it inside a JSON string; not always the text, since some
 *     faults are bytes that no text has
 */
record Token(String text, byte[] json) {

  static Token of(String text) {
    return new Token(text, Json.escape(text).getBytes(UTF_8));
  }

  /** A token whose JSON is given as it is. */
  static Token raw(String text, byte[] json) {
    return new Token(text, json);
  }
}
