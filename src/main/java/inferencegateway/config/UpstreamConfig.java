package inferencegateway.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The OpenAI-compatible server behind the gateway.
 *
 * @param backend key {@code backend}
 * @param defaultModel key {@code model}; null: none
 * @param apiKeyFile key {@code api-key-file}; null: no key is sent
 * @param tls keys {@code upstream.tls.*}; for an {@code https} backend
 * @param connectTimeout key {@code connect-timeout}; for all addresses of the name together
 * @param idle key {@code upstream.idle}; pooled connections older than that are not used again
 * @param lenientFinish key {@code upstream.lenient-finish}; accept answers without a finish_reason
 * @param maxEventBytes key {@code limits.max-event-bytes}; longest SSE event and longest whole body
 * @param maxResponseBytes key {@code limits.max-response-bytes}; longest unary answer, as protobuf
 */
public record UpstreamConfig(
    BackendUrl backend,
    @Nullable String defaultModel,
    @Nullable Path apiKeyFile,
    BackendTls tls,
    Duration connectTimeout,
    Duration idle,
    boolean lenientFinish,
    int maxEventBytes,
    int maxResponseBytes) {
  public UpstreamConfig {
    new Check()
        .positive("connect-timeout", connectTimeout)
        .notNegative("upstream.idle", idle)
        .atLeast("limits.max-event-bytes", maxEventBytes, 1)
        .atLeast("limits.max-response-bytes", maxResponseBytes, 1)
        .done();
  }
}
