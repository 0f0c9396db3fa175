package inferencegateway.telemetry;

import inferencegateway.config.TelemetryConfig;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry's SDK: what metrics and spans are made with, and where they go. Its own settings
 * are the standard variables ({@code OTEL_EXPORTER_OTLP_ENDPOINT}, {@code OTEL_TRACES_SAMPLER},
 * {@code OTEL_RESOURCE_ATTRIBUTES}, ...); where no endpoint is named, no span is made.
 */
public final class Telemetry implements AutoCloseable {

  private static final long LAST_EXPORT_SECONDS = 2;

  private final OpenTelemetrySdk sdk;
  private final boolean measures;
  private final @Nullable MetricsPage page;

  private Telemetry(OpenTelemetrySdk sdk, boolean measures, @Nullable MetricsPage page) {
    this.sdk = sdk;
    this.measures = measures;
    this.page = page;
  }

  /**
   * Opens the page of metrics.
   *
   * @throws IOException says in one line which key or variable is wrong, and why
   */
  public static Telemetry start(TelemetryConfig config) throws IOException {
    PrometheusMetricReader reader =
        PrometheusMetricReader.builder().setOtelScopeLabelsEnabled(false).build();
    OpenTelemetrySdk sdk = sdk(config, reader);
    try {
      boolean measures = config.metrics() != null || isExported();
      return new Telemetry(sdk, measures, MetricsPage.open(config.metrics(), reader));
    } catch (IOException e) {
      sdk.close();
      throw e;
    }
  }

  private static OpenTelemetrySdk sdk(TelemetryConfig config, PrometheusMetricReader reader)
      throws IOException {
    try {
      return AutoConfiguredOpenTelemetrySdk.builder()
          .disableShutdownHook()
          .addPropertiesSupplier(Telemetry::defaults)
          .addMeterProviderCustomizer(
              (meters, properties) ->
                  config.metrics() == null ? meters : meters.registerMetricReader(reader))
          .build()
          .getOpenTelemetrySdk();
    } catch (ConfigurationException e) {
      throw new IOException("OpenTelemetry's variables: " + e.getMessage(), e);
    }
  }

  /** Weaker than the environment. */
  private static Map<String, String> defaults() {
    return Map.of(
        "otel.service.name", "inference-gateway",
        "otel.traces.exporter", isEndpointSet() ? "otlp" : "none",
        "otel.metrics.exporter", "none",
        "otel.logs.exporter", "none",
        "otel.exporter.otlp.protocol", "http/protobuf");
  }

  private static boolean isExported() {
    String exporter = System.getenv("OTEL_METRICS_EXPORTER");
    return exporter != null && !exporter.isBlank() && !exporter.equals("none");
  }

  private static boolean isEndpointSet() {
    return Stream.of("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .anyMatch(name -> System.getenv(name) != null);
  }

  public OpenTelemetry sdk() {
    return sdk;
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
    sdk.shutdown().join(LAST_EXPORT_SECONDS, TimeUnit.SECONDS);
    if (page != null) {
      page.close();
    }
  }
}
