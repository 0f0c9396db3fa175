package inferencegateway.config;

import java.time.Duration;

/**
 * What holds for every backend alike.
 *
 * @param connectTimeout key {@code connect-timeout}; for all addresses of the name together
 * @param idle key {@code upstream.idle}; pooled connections older than that are not used again
 * @param maxEventBytes key {@code limits.max-event-bytes}; longest SSE event and longest whole body
 * @param maxResponseBytes key {@code limits.max-response-bytes}; longest unary answer, as protobuf
 */
public record UpstreamConfig(
    Duration connectTimeout, Duration idle, int maxEventBytes, int maxResponseBytes) {
  public UpstreamConfig {
    new Check()
        .positive("connect-timeout", connectTimeout)
        .notNegative("upstream.idle", idle)
        .atLeast("limits.max-event-bytes", maxEventBytes, 1)
        .atLeast("limits.max-response-bytes", maxResponseBytes, 1)
        .done();
  }
}
