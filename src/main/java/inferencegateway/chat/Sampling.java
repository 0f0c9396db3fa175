package inferencegateway.chat;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the next token is drawn. Null means "not said" and is not sent; ranges are checked where a
 * request enters.
 *
 * @param temperature 0 (greedy) to 2
 * @param topP above 0 to 1
 * @param topK 0 (all) and up
 * @param minP 0 to 1
 * @param frequencyPenalty -2 to 2
 * @param presencePenalty -2 to 2
 * @param repetitionPenalty above 0 to 2
 * @param seed any
 * @param logitBias token id to -100..100; empty for none
 */
public record Sampling(
    @Nullable Double temperature,
    @Nullable Double topP,
    @Nullable Integer topK,
    @Nullable Double minP,
    @Nullable Double frequencyPenalty,
    @Nullable Double presencePenalty,
    @Nullable Double repetitionPenalty,
    @Nullable Long seed,
    Map<Integer, Double> logitBias) {

  public static final Sampling UNSET =
      new Sampling(null, null, null, null, null, null, null, null, Map.of());

  public Sampling {
    logitBias = Map.copyOf(logitBias);
  }
}
