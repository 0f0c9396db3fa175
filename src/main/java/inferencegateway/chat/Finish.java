package inferencegateway.chat;

import org.jspecify.annotations.Nullable;

/**
 * The end of an answer, as the backend put it.
 *
 * @param raw the backend's word, not empty
 * @param stopText the stop string that was met, where the backend tells (vLLM: {@code stop_reason})
 * @param stopTokenId the stop token that was met, where the backend tells
 */
public record Finish(
    FinishReason reason, String raw, @Nullable String stopText, @Nullable Integer stopTokenId) {

  /** What the gateway itself says when a time limit cut the answer. */
  public static final Finish TIME_LIMIT =
      new Finish(FinishReason.TIME_LIMIT, "time_limit", null, null);

  public static Finish of(String raw) {
    return new Finish(FinishReason.of(raw), raw, null, null);
  }
}
