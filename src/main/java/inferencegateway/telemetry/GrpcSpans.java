package inferencegateway.telemetry;

import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcSenderProvider;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Lets OpenTelemetry send over the gRPC that is here anyway ({@code
 * OTEL_EXPORTER_OTLP_PROTOCOL=grpc}). Found by its service file, and public for that only.
 */
public final class GrpcSpans implements GrpcSenderProvider {

  /** As OTLP's specification lists them. */
  private static final List<String> TRIED_AGAIN =
      List.of(
          "CANCELLED",
          "DEADLINE_EXCEEDED",
          "RESOURCE_EXHAUSTED",
          "ABORTED",
          "OUT_OF_RANGE",
          "UNAVAILABLE",
          "DATA_LOSS");

  /** Connects with the first spans. */
  @Override
  public GrpcSender createSender(GrpcSenderConfig config) {
    URI to = config.getEndpoint();
    boolean secure = "https".equals(to.getScheme());
    int port = to.getPort() >= 0 ? to.getPort() : secure ? 443 : 80;
    ManagedChannel channel =
        Grpc.newChannelBuilder(
                "dns:///" + to.getHost() + ":" + port,
                secure ? tls(config) : InsecureChannelCredentials.create())
            .defaultServiceConfig(retries(config.getRetryPolicy()))
            .directExecutor()
            .build();
    CallOptions options =
        config.getCompressor() == null
            ? CallOptions.DEFAULT
            : CallOptions.DEFAULT.withCompression(config.getCompressor().getEncoding());
    return new GrpcSpanSender(
        channel,
        config.getFullMethodName(),
        options,
        config.getTimeout(),
        config.getHeadersSupplier());
  }

  private static ChannelCredentials tls(GrpcSenderConfig config) {
    return config.getTrustManager() == null
        ? TlsChannelCredentials.create()
        : TlsChannelCredentials.newBuilder().trustManager(config.getTrustManager()).build();
  }

  /** The library's own retries, under its own names. */
  private static Map<String, ?> retries(RetryPolicy policy) {
    if (policy == null) {
      return Map.of();
    }
    Map<String, ?> retry =
        Map.of(
            "maxAttempts", (double) policy.getMaxAttempts(),
            "initialBackoff", seconds(policy.getInitialBackoff()),
            "maxBackoff", seconds(policy.getMaxBackoff()),
            "backoffMultiplier", policy.getBackoffMultiplier(),
            "retryableStatusCodes", TRIED_AGAIN);
    return Map.of("methodConfig", List.of(Map.of("name", List.of(Map.of()), "retryPolicy", retry)));
  }

  private static String seconds(Duration time) {
    return time.toMillis() / 1_000.0 + "s";
  }
}
