package inferencegateway.telemetry;

import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.resources.Resource;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * OpenTelemetry's SDK as its standard variables want it: {@code OTEL_EXPORTER_OTLP_ENDPOINT},
 * {@code OTEL_TRACES_SAMPLER}, {@code OTEL_RESOURCE_ATTRIBUTES}, ...
 *
 * @param spansTo who gets spans, for people; null: nobody
 * @param metricsTo who gets metrics, beside the page; null: nobody
 */
record StandardSdk(OpenTelemetrySdk sdk, @Nullable String spansTo, @Nullable String metricsTo) {

  private static final Pattern PROPERTY = Pattern.compile("\\botel(\\.[a-z0-9_]+)+");

  /** Values of these may hold keys and passwords. */
  private static final Pattern SECRET =
      Pattern.compile("headers|@|password", Pattern.CASE_INSENSITIVE);

  private static final int LONGEST = 300;

  /**
   * Builds it; opens no connection.
   *
   * @param reader of the page of metrics; null for none
   * @throws RuntimeException when a variable is wrong; {@link #words} says which
   */
  static StandardSdk build(@Nullable PrometheusMetricReader reader, Resource process) {
    AtomicReference<@Nullable String> spans = new AtomicReference<>();
    AtomicReference<@Nullable String> metrics = new AtomicReference<>();
    OpenTelemetrySdk sdk =
        AutoConfiguredOpenTelemetrySdk.builder()
            .disableShutdownHook()
            .addPropertiesSupplier(StandardSdk::defaults)
            .addResourceCustomizer((said, properties) -> process.merge(said))
            .addPropertiesCustomizer(StandardSdk::exporter)
            .addSpanExporterCustomizer(
                (exporter, properties) -> {
                  String to = collector("traces", properties);
                  spans.set(to);
                  return new WatchedExporter(exporter, to);
                })
            .addMetricExporterCustomizer(
                (exporter, properties) -> {
                  String to = collector("metrics", properties);
                  metrics.set(to);
                  return new WatchedMetricExporter(exporter, to);
                })
            .addMeterProviderCustomizer((meters, properties) -> read(meters, reader))
            .build()
            .getOpenTelemetrySdk();
    return new StandardSdk(sdk, spans.get(), metrics.get());
  }

  /** The page of metrics alone, whatever the variables say. */
  static StandardSdk without(@Nullable PrometheusMetricReader reader, Resource process) {
    SdkMeterProviderBuilder meters =
        SdkMeterProvider.builder().setResource(Resource.getDefault().merge(process));
    return new StandardSdk(
        OpenTelemetrySdk.builder().setMeterProvider(read(meters, reader).build()).build(),
        null,
        null);
  }

  private static SdkMeterProviderBuilder read(
      SdkMeterProviderBuilder meters, @Nullable PrometheusMetricReader reader) {
    return reader == null ? meters : meters.registerMetricReader(reader);
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
  private static String collector(String signal, ConfigProperties properties) {
    String whole = properties.getString("otel.exporter.otlp.endpoint", "the collector");
    String url = properties.getString("otel.exporter.otlp." + signal + ".endpoint", whole);
    try {
      URI address = URI.create(url);
      String port = address.getPort() < 0 ? "" : ":" + address.getPort();
      return address.getHost() == null ? "the collector" : address.getHost() + port;
    } catch (IllegalArgumentException e) {
      return "the collector";
    }
  }

  /** Which variable is wrong, in one line, as it is spelled in the environment. */
  static String words(RuntimeException fault) {
    String said = String.valueOf(fault.getMessage()).lines().findFirst().orElse("");
    Matcher property = PROPERTY.matcher(said);
    String named = property.replaceAll(name -> variable(name.group()));
    if (SECRET.matcher(said).find()) {
      property.reset();
      return property.find() ? variable(property.group()) + " cannot be read" : "OTEL_... is wrong";
    }
    return "OpenTelemetry's variables (OTEL_...): "
        + named.substring(0, Math.min(LONGEST, named.length()));
  }

  private static String variable(String property) {
    return property.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
