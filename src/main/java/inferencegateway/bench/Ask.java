package inferencegateway.bench;

import com.google.errorprone.annotations.Immutable;
import java.time.Duration;

/**
 * What every call of a load asks for.
 *
 * @param streamed or whole
 * @param tokens exactly as many
 * @param pace between two tokens; zero: as fast as they are taken
 */
@Immutable
record Ask(boolean streamed, int tokens, Duration pace) {

  /** Tells the simulator its pace, and to write times in place of words. */
  String prompt() {
    return "[[sim:stamp;inter-token=" + pace.toNanos() + "ns]] How fast are you?";
  }

  /** The same question as HTTP, for proxies that know no gRPC. */
  String json(String model) {
    String usage = streamed ? ",\"stream_options\":{\"include_usage\":true}" : "";
    return ("{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],"
            + "\"max_tokens\":%d,\"ignore_eos\":true,\"stream\":%b%s}")
        .formatted(model, prompt(), tokens, streamed, usage);
  }
}
