package inferencegateway.simulator;

import java.util.ArrayList;
import java.util.List;

/**
 * How far an answer had come when somebody else was asked to go on with it.
 *
 * @param tokens said whole
 * @param chars said of the next one
 */
record Spoken(int tokens, int chars) {

  static final Spoken NOTHING = new Spoken(0, 0);

  /** Nothing as well where the beginning is of another text: what goes on is then a new one. */
  static Spoken of(String beginning, List<Token> text) {
    int at = 0;
    for (int i = 0; i < text.size(); i++) {
      String token = text.get(i).text();
      if (beginning.length() - at < token.length()) {
        boolean same = token.startsWith(beginning.substring(at));
        return same ? new Spoken(i, beginning.length() - at) : NOTHING;
      }
      if (!beginning.startsWith(token, at)) {
        return NOTHING;
      }
      at += token.length();
    }
    return at == beginning.length() ? new Spoken(text.size(), 0) : NOTHING;
  }

  /** What is left to say. */
  List<Token> after(List<Token> text) {
    List<Token> rest = new ArrayList<>(text.subList(Math.min(tokens, text.size()), text.size()));
    if (chars > 0 && !rest.isEmpty()) {
      rest.set(0, Token.of(rest.get(0).text().substring(chars)));
    }
    return rest;
  }
}
