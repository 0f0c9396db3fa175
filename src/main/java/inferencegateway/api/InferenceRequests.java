package inferencegateway.api;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.proto.inference.GenerateRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code inference.GenerateRequest} to {@link ChatRequest}, with that contract's defaults. */
final class InferenceRequests {

  private static final double DEFAULT_TEMPERATURE = 0.7;

  private InferenceRequests() {}

  /**
   * Checks and translates.
   *
   * @param defaultMaxTokens the method's: 256 for one answer, 1024 for a stream
   * @return to be ignored when {@code violations} is not empty
   */
  static ChatRequest read(GenerateRequest asked, int defaultMaxTokens, Violations violations) {
    Checks.model(asked.getModel(), violations);
    int maxTokens = asked.hasMaxTokens() ? asked.getMaxTokens() : defaultMaxTokens;
    Checks.maxTokens(maxTokens, violations);
    Checks.stops(asked.getStopList(), "stop", violations);
    return new ChatRequest(
        asked.getModel(),
        Checks.messages(
            asked.getMessagesCount(),
            i -> asked.getMessages(i).getRole(),
            i -> asked.getMessages(i).getContent(),
            violations),
        maxTokens,
        sampling(asked, violations),
        new Stopping(asked.getStopList(), List.of(), null, null, null),
        TimeLimits.UNSET);
  }

  private static Sampling sampling(GenerateRequest asked, Violations violations) {
    double temperature =
        asked.hasTemperature() ? decimal(asked.getTemperature()) : DEFAULT_TEMPERATURE;
    violations.within(temperature, 0, 2, "temperature");
    @Nullable Double topP = asked.hasTopP() ? decimal(asked.getTopP()) : null;
    if (topP != null) {
      violations.above(topP, 0, 1, "top_p");
    }
    return new Sampling(
        temperature,
        topP,
        null,
        null,
        null,
        null,
        null,
        asked.hasSeed() ? asked.getSeed() : null,
        Map.of());
  }

  /** The number that was meant: 0.7f is 0.7, not 0.699999988. */
  private static double decimal(float value) {
    return Double.parseDouble(Float.toString(value));
  }
}
