package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.HostPort;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.testing.MetricsPageText;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MetricsPageTest {

  private static final Attributes A = Attributes.of(AttributeKey.stringKey("of"), "a");
  private static final Attributes B = Attributes.of(AttributeKey.stringKey("of"), "b");

  private Telemetry telemetry;
  private DoubleHistogram times;
  private LongCounter calls;

  @BeforeEach
  void start() throws IOException {
    telemetry =
        Telemetry.start(
            new TelemetryConfig(
                new TelemetryConfig.Port("metrics-listen", new HostPort("127.0.0.1", 0), true),
                null,
                false),
            "1.2.3");
    Meter meter = telemetry.sdk().getMeter("test");
    times =
        meter
            .histogramBuilder("times")
            .setExplicitBucketBoundariesAdvice(List.of(1.0, 2.0))
            .build();
    calls = meter.counterBuilder("calls").setDescription("Calls").build();
  }

  @AfterEach
  void stop() {
    telemetry.close();
  }

  private static Context traced(int trace) {
    return Context.root()
        .with(
            Span.wrap(
                SpanContext.create(
                    "%032x".formatted(trace),
                    "%016x".formatted(trace),
                    TraceFlags.getSampled(),
                    TraceState.getDefault())));
  }

  private String page() {
    return MetricsPageText.read(telemetry.metricsPort(), MetricsPageText.OPEN_METRICS).text();
  }

  /** By the series' beginning; the number of the trace beside it, 0: none. */
  private static int trace(String page, String series) {
    String line = page.lines().filter(each -> each.startsWith(series)).findFirst().orElseThrow();
    int at = line.indexOf("trace_id=\"");
    return at < 0 ? 0 : Integer.parseInt(line.substring(at + 10, at + 42), 16);
  }

  @Test
  void everyReaderGetsTheLastTraceOfEachBucket() {
    times.record(0.5, A, traced(1));
    times.record(1.5, A, traced(2));
    times.record(0.5, B, traced(3));
    calls.add(1, A, traced(4));
    for (int reader = 0; reader < 3; reader++) {
      MetricsPageText.read(telemetry.metricsPort());
      String page = page();
      assertEquals(1, trace(page, "times_bucket{of=\"a\",le=\"1.0\"}"));
      assertEquals(2, trace(page, "times_bucket{of=\"a\",le=\"2.0\"}"));
      assertEquals(0, trace(page, "times_bucket{of=\"a\",le=\"+Inf\"}"));
      assertEquals(3, trace(page, "times_bucket{of=\"b\",le=\"1.0\"}"));
      assertEquals(4, trace(page, "calls_total"));
    }
    times.record(0.6, A, traced(5));
    for (int reader = 0; reader < 3; reader++) {
      String page = page();
      assertEquals(5, trace(page, "times_bucket{of=\"a\",le=\"1.0\"}"));
      assertEquals(2, trace(page, "times_bucket{of=\"a\",le=\"2.0\"}"));
      assertEquals(3, trace(page, "times_bucket{of=\"b\",le=\"1.0\"}"));
    }
  }

  @Test
  void whatIsNotTracedHasNone() {
    times.record(0.5, A, Context.root());
    assertFalse(page().contains("trace_id"));
  }

  @Test
  void everyMetricIsExplained() {
    calls.add(1, A);
    String page = page();
    assertTrue(page.contains("# HELP target What is measured\n"), page);
    page.lines()
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.split(" ")[2])
        .forEach(name -> assertTrue(page.contains("# HELP " + name + " "), name));
  }
}
