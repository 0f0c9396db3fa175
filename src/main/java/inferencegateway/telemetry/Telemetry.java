package inferencegateway.telemetry;

import static java.util.concurrent.TimeUnit.SECONDS;

import inferencegateway.config.TelemetryConfig;
import inferencegateway.server.MetricsPort;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OpenTelemetry's SDK: what metrics and spans are made with, and where they go. Its own settings
 * are the standard variables ({@code OTEL_EXPORTER_OTLP_ENDPOINT}, {@code OTEL_TRACES_SAMPLER},
 * {@code OTEL_RESOURCE_ATTRIBUTES}, ...); where no endpoint is named, no span is made.
 */
public final class Telemetry implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Telemetry.class);

  private static final long LAST_EXPORT_SECONDS = 2;

  private final OpenTelemetrySdk sdk;
  private final Tracing tracing;
  private final boolean measures;
  private final @Nullable MetricsPort page;

  private Telemetry(
      OpenTelemetrySdk sdk, boolean spans, boolean measures, @Nullable MetricsPort page) {
    this.sdk = sdk;
    this.tracing = spans ? Tracing.by(sdk.getTracerProvider()) : Tracing.OFF;
    this.measures = measures;
    this.page = page;
  }

  /**
   * Opens the page of metrics.
   *
   * @param version the gateway's own
   * @throws IOException says in one line which key is wrong, and why
   */
  public static Telemetry start(TelemetryConfig config, String version) throws IOException {
    PrometheusMetricReader reader =
        PrometheusMetricReader.builder().setOtelScopeLabelsEnabled(false).build();
    StandardSdk made = sdk(config.metrics() == null ? null : reader, process(version));
    try {
      boolean measures = config.metrics() != null || made.metricsTo() != null;
      tell("Spans", made.spansTo());
      tell("Metrics", made.metricsTo());
      MetricsPort page = opened(config.metrics(), reader);
      return new Telemetry(made.sdk(), made.spansTo() != null, measures, page);
    } catch (IOException e) {
      end(made.sdk());
      throw e;
    }
  }

  private static void tell(String what, @Nullable String to) {
    if (to != null) {
      LOG.info("{} go to {}", what, to);
    }
  }

  private static @Nullable MetricsPort opened(
      TelemetryConfig.@Nullable Port where, PrometheusMetricReader reader) throws IOException {
    if (where == null) {
      return null;
    }
    MetricsPort port = new MetricsPort(where, new MetricsPage(reader));
    port.start();
    return port;
  }

  /**
   * Such variables are often put into every process by somebody else. What is wrong with them costs
   * spans, never calls.
   */
  private static StandardSdk sdk(@Nullable PrometheusMetricReader reader, Resource process) {
    try {
      return StandardSdk.build(reader, process);
    } catch (RuntimeException e) {
      LOG.warn("{}. Nothing is sent to a collector; all else works", StandardSdk.words(e));
      return StandardSdk.without(reader, process);
    }
  }

  /**
   * What is wrong with OpenTelemetry's variables, in one line. Opens nothing.
   *
   * @return empty where all is well
   */
  public static Optional<String> fault() {
    try {
      end(StandardSdk.build(null, Resource.empty()).sdk());
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(StandardSdk.words(e));
    }
  }

  /** Tells this process from others of its name; what the environment says wins. */
  private static Resource process(String version) {
    return Resource.create(
        Attributes.of(
            AttributeKey.stringKey("service.version"),
            version,
            AttributeKey.stringKey("service.instance.id"),
            UUID.randomUUID().toString()));
  }

  public OpenTelemetry sdk() {
    return sdk;
  }

  public Tracing tracing() {
    return tracing;
  }

  /** Whether anybody may read metrics: the page, or a collector. */
  public boolean measures() {
    return measures;
  }

  /** Readers of the page that were turned away because there were too many. */
  public long scrapesTurnedAway() {
    return page == null ? 0 : page.turnedAway();
  }

  /** Where Prometheus reads; -1: nowhere. */
  public int metricsPort() {
    return page == null ? -1 : page.port();
  }

  /** Sends what is left, for two seconds at most. */
  @Override
  public void close() {
    end(sdk);
    if (page != null) {
      page.close();
    }
  }

  /** On a thread of its own: a reader of metrics waits for its collector as long as it likes. */
  private static void end(OpenTelemetrySdk sdk) {
    Thread last =
        new Thread(() -> sdk.shutdown().join(LAST_EXPORT_SECONDS, SECONDS), "last export");
    last.setDaemon(true);
    last.start();
    try {
      last.join(SECONDS.toMillis(LAST_EXPORT_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
