package inferencegateway.api;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.OnTimeLimit;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code llm.v1.CompleteRequest} to {@link ChatRequest}, with that contract's defaults. */
final class LlmRequests {

  private static final int DEFAULT_MAX_TOKENS = 1_024;
  private static final int MAX_STOP_TOKENS = 128;
  private static final int MAX_BIASES = 1_024;

  private LlmRequests() {}

  /**
   * Checks and translates.
   *
   * @return to be ignored when {@code violations} is not empty
   */
  static ChatRequest read(CompleteRequest asked, Violations violations) {
    Checks.model(asked.getModel(), violations);
    int maxTokens = asked.hasMaxTokens() ? asked.getMaxTokens() : DEFAULT_MAX_TOKENS;
    Checks.maxTokens(maxTokens, violations);
    return new ChatRequest(
        asked.getModel(),
        Checks.messages(
            asked.getMessagesCount(),
            i -> asked.getMessages(i).getRole(),
            i -> asked.getMessages(i).getContent(),
            violations),
        maxTokens,
        asked.hasSampling() ? sampling(asked.getSampling(), violations) : Sampling.UNSET,
        asked.hasStopping() ? stopping(asked.getStopping(), maxTokens, violations) : Stopping.UNSET,
        asked.hasTimeLimits() ? timeLimits(asked.getTimeLimits(), violations) : TimeLimits.UNSET);
  }

  private static Sampling sampling(
      inferencegateway.proto.llm.v1.Sampling asked, Violations violations) {
    checkSampling(asked, violations);
    return new Sampling(
        asked.hasTemperature() ? asked.getTemperature() : null,
        asked.hasTopP() ? asked.getTopP() : null,
        asked.hasTopK() ? asked.getTopK() : null,
        asked.hasMinP() ? asked.getMinP() : null,
        asked.hasFrequencyPenalty() ? asked.getFrequencyPenalty() : null,
        asked.hasPresencePenalty() ? asked.getPresencePenalty() : null,
        asked.hasRepetitionPenalty() ? asked.getRepetitionPenalty() : null,
        asked.hasSeed() ? asked.getSeed() : null,
        logitBias(asked.getLogitBiasMap(), violations));
  }

  private static void checkSampling(
      inferencegateway.proto.llm.v1.Sampling asked, Violations violations) {
    violations.within(asked.getTemperature(), 0, 2, "sampling.temperature");
    if (asked.hasTopP()) {
      violations.above(asked.getTopP(), 0, 1, "sampling.top_p");
    }
    violations.unless(asked.getTopK() >= 0, "sampling.top_k", "must be 0 (all) or more");
    violations.within(asked.getMinP(), 0, 1, "sampling.min_p");
    violations.within(asked.getFrequencyPenalty(), -2, 2, "sampling.frequency_penalty");
    violations.within(asked.getPresencePenalty(), -2, 2, "sampling.presence_penalty");
    if (asked.hasRepetitionPenalty()) {
      violations.above(asked.getRepetitionPenalty(), 0, 2, "sampling.repetition_penalty");
    }
  }

  private static Map<Integer, Double> logitBias(Map<Integer, Double> asked, Violations violations) {
    String field = "sampling.logit_bias";
    violations.unless(
        asked.size() <= MAX_BIASES, field, "must hold at most " + MAX_BIASES + " entries");
    asked.forEach(
        (token, bias) -> {
          violations.unless(token >= 0, field + "[" + token + "]", "token ids are 0 or more");
          violations.within(bias, -100, 100, field + "[" + token + "]");
        });
    return asked;
  }

  private static Stopping stopping(
      inferencegateway.proto.llm.v1.Stopping asked, int maxTokens, Violations violations) {
    Checks.stops(asked.getStopList(), "stopping.stop", violations);
    violations.unless(
        asked.getStopTokenIdsCount() <= MAX_STOP_TOKENS,
        "stopping.stop_token_ids",
        "must hold at most " + MAX_STOP_TOKENS + " ids");
    violations.unless(
        asked.getStopTokenIdsList().stream().allMatch(id -> id >= 0),
        "stopping.stop_token_ids",
        "token ids are 0 or more");
    violations.unless(
        asked.getMinTokens() >= 0 && asked.getMinTokens() <= maxTokens,
        "stopping.min_tokens",
        "must be 0 to max_tokens (" + maxTokens + ")");
    return new Stopping(
        asked.getStopList(),
        asked.getStopTokenIdsList(),
        asked.hasIncludeStopText() ? asked.getIncludeStopText() : null,
        asked.hasMinTokens() ? asked.getMinTokens() : null,
        asked.hasIgnoreEos() ? asked.getIgnoreEos() : null);
  }

  private static TimeLimits timeLimits(
      inferencegateway.proto.llm.v1.TimeLimits asked, Violations violations) {
    violations.unless(
        asked.getOnTimeLimit() != OnTimeLimit.UNRECOGNIZED,
        "time_limits.on_time_limit",
        "must be one of the values of OnTimeLimit");
    return new TimeLimits(
        asked.hasFirstToken()
            ? duration(asked.getFirstToken(), "time_limits.first_token", violations)
            : null,
        asked.hasGap() ? duration(asked.getGap(), "time_limits.gap", violations) : null,
        asked.hasTotal() ? duration(asked.getTotal(), "time_limits.total", violations) : null,
        asked.getOnTimeLimit() == OnTimeLimit.ON_TIME_LIMIT_PARTIAL_ANSWER);
  }

  private static @Nullable Duration duration(
      com.google.protobuf.Duration asked, String field, Violations violations) {
    boolean fine =
        asked.getSeconds() >= 0
            && asked.getSeconds() <= 86_400
            && asked.getNanos() >= 0
            && asked.getNanos() < 1_000_000_000
            && (asked.getSeconds() > 0 || asked.getNanos() > 0);
    violations.unless(fine, field, "must be above 0 and at most one day");
    return fine ? Duration.ofSeconds(asked.getSeconds(), asked.getNanos()) : null;
  }
}
