package inferencegateway.telemetry;

import inferencegateway.config.TelemetryConfig;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.resources.Resource;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final Tracing tracing;
  private final boolean measures;
  private final @Nullable MetricsPage page;

  private Telemetry(
      OpenTelemetrySdk sdk, boolean spans, boolean measures, @Nullable MetricsPage page) {
    this.sdk = sdk;
    this.tracing = spans ? Tracing.by(sdk.getTracerProvider()) : Tracing.OFF;
    this.measures = measures;
    this.page = page;
  }

  /**
   * Opens the page of metrics.
   *
   * @param version the gateway's own
   * @throws IOException says in one line which key or variable is wrong, and why
   */
  public static Telemetry start(TelemetryConfig config, String version) throws IOException {
    PrometheusMetricReader reader =
        PrometheusMetricReader.builder().setOtelScopeLabelsEnabled(false).build();
    AtomicBoolean spans = new AtomicBoolean();
    OpenTelemetrySdk sdk = sdk(config, reader, spans, process(version));
    try {
      boolean measures = config.metrics() != null || isExported();
      return new Telemetry(sdk, spans.get(), measures, MetricsPage.open(config.metrics(), reader));
    } catch (IOException e) {
      sdk.close();
      throw e;
    }
  }

  /**
   * @param spans set where there is somebody to send them to
   */
  private static OpenTelemetrySdk sdk(
      TelemetryConfig config, PrometheusMetricReader reader, AtomicBoolean spans, Resource process)
      throws IOException {
    try {
      return AutoConfiguredOpenTelemetrySdk.builder()
          .disableShutdownHook()
          .addPropertiesSupplier(Telemetry::defaults)
          .addResourceCustomizer((said, properties) -> process.merge(said))
          .addPropertiesCustomizer(Telemetry::exporter)
          .addSpanExporterCustomizer(
              (exporter, properties) -> {
                spans.set(true);
                return new WatchedExporter(exporter, collector(properties));
              })
          .addMeterProviderCustomizer(
              (meters, properties) ->
                  config.metrics() == null ? meters : meters.registerMetricReader(reader))
          .build()
          .getOpenTelemetrySdk();
    } catch (ConfigurationException | IllegalArgumentException | IllegalStateException e) {
      throw new IOException("OpenTelemetry's variables (OTEL_...): " + e.getMessage(), e);
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

  /** Weaker than the environment. */
  private static Map<String, String> defaults() {
    return Map.of(
        "otel.service.name", "inference-gateway",
        "otel.metrics.exporter", "none",
        "otel.logs.exporter", "none",
        "otel.exporter.otlp.protocol", "http/protobuf",
        // Names of the semantic conventions for what the SDK counts of itself.
        "otel.experimental.sdk.telemetry.version", "latest");
  }

  /** Where nobody says who gets the spans, naming an endpoint says it. */
  private static Map<String, String> exporter(ConfigProperties properties) {
    if (properties.getString("otel.traces.exporter") != null) {
      return Map.of();
    }
    boolean named =
        Stream.of("otel.exporter.otlp.endpoint", "otel.exporter.otlp.traces.endpoint")
            .anyMatch(name -> !properties.getString(name, "").isEmpty());
    return Map.of("otel.traces.exporter", named ? "otlp" : "none");
  }

  /** Host and port only: a URL may hold a password. */
  private static String collector(ConfigProperties properties) {
    String whole = properties.getString("otel.exporter.otlp.endpoint", "the collector");
    String url = properties.getString("otel.exporter.otlp.traces.endpoint", whole);
    try {
      URI address = URI.create(url);
      String port = address.getPort() < 0 ? "" : ":" + address.getPort();
      return address.getHost() == null ? "the collector" : address.getHost() + port;
    } catch (IllegalArgumentException e) {
      return "the collector";
    }
  }

  private static boolean isExported() {
    String exporter = System.getenv("OTEL_METRICS_EXPORTER");
    return exporter != null && !exporter.isBlank() && !exporter.equals("none");
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
    sdk.shutdown().join(LAST_EXPORT_SECONDS, TimeUnit.SECONDS);
    if (page != null) {
      page.close();
    }
  }
}
