package inferencegateway.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an answer is going to say, known before its first token leaves.
 *
 * @param reasoningTokens how many of the first tokens are reasoning
 * @param finish {@code stop} or {@code length}
 * @param stopReason the stop string that ended it
 */
record AnswerPlan(
    List<Token> tokens, int reasoningTokens, String finish, @Nullable String stopReason) {

  boolean isCutByLength() {
    return finish.equals("length");
  }
}
