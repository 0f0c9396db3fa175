package inferencegateway.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.config.HostPort;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.telemetry.Denial;
import inferencegateway.telemetry.Telemetry;
import inferencegateway.testing.MetricsPageText;
import inferencegateway.testing.MetricsTables;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What comes of one call, as Prometheus reads it. */
class GatewayMetricsTest {

  private static final String METHOD = "llm.v1.LLMService/CompleteStream";
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final int JUNK = 50_000;

  private Telemetry telemetry;
  private GatewayMetrics metrics;

  @BeforeEach
  void start() throws IOException {
    telemetry =
        Telemetry.start(
            new TelemetryConfig(
                new TelemetryConfig.Port("metrics-listen", new HostPort("127.0.0.1", 0), true),
                null,
                false),
            "1.2.3");
    metrics = GatewayMetrics.with(telemetry.sdk(), Set.of("small", "large")::contains, 100);
  }

  @AfterEach
  void stop() {
    metrics.close();
    telemetry.close();
  }

  @Test
  void everyMetricThatIsRecordedIsOnThePage() {
    metrics.attempted(
        new AttemptRecord("gpu-1", CallOutcome.OK, null, Phase.DECODE, Context.root()));
    metrics.over(good("small", "team-a"));
    metrics.over(left("small", "team-a"));
    metrics.upstreamClosed(left("small", "team-a"), Duration.ofMillis(2).toNanos());
    metrics.follows(List.of(Path.of("/etc/callers.yaml")));
    metrics.reloaded(List.of(Path.of("/etc/callers.yaml")), false);
    MetricsPageText page = page();
    Set<Metric.Kind> recorded =
        Set.of(Metric.Kind.COUNTER, Metric.Kind.DOUBLE_COUNTER, Metric.Kind.HISTOGRAM);
    for (Metric metric : Metric.values()) {
      if (recorded.contains(metric.kind())) {
        assertTrue(
            page.series().stream()
                .anyMatch(s -> s.name().startsWith(metric.id().replace('.', '_'))),
            metric.id());
      }
    }
    assertTablesKnowAll(page);
  }

  private static void assertTablesKnowAll(MetricsPageText page) {
    for (MetricsPageText.Series series : page.series()) {
      MetricsTables.Row row =
          MetricsTables.english().stream()
              .filter(each -> each.seriesNames().contains(series.name()))
              .findFirst()
              .orElseThrow(() -> new AssertionError("not in the docs: " + series));
      assertTrue(
          series.labels().keySet().stream()
              .allMatch(label -> label.equals("le") || row.labels().contains(label)),
          () -> "labels that are not in the docs: " + series);
    }
  }

  @Test
  void goodCallIsTimedAndCounted() {
    metrics.over(good("small", "team-a"));
    MetricsPageText page = page();
    Map<String, String> who =
        Map.of("gen_ai_request_model", "small", "grpc_method", METHOD, "caller", "team-a");
    assertEquals(1, page.sum("inference_gateway_calls_total", who));
    assertEquals(3.0, page.sum("gen_ai_server_request_duration_seconds_sum", who), 1e-9);
    assertEquals(1.0, page.sum("gen_ai_server_time_to_first_token_seconds_sum", who), 1e-9);
    // Two seconds less the quarter that nobody read, for 20 tokens.
    assertEquals(0.0875, page.sum("gen_ai_server_time_per_output_token_seconds_sum", who), 1e-9);
    assertEquals(
        21, page.sum("gen_ai_client_token_usage_sum", Map.of("gen_ai_token_type", "output")));
    assertEquals(
        7, page.sum("gen_ai_client_token_usage_sum", Map.of("gen_ai_token_type", "input")));
    assertEquals(0.5, page.sum("inference_gateway_queue_duration_seconds_sum"), 1e-9);
    assertEquals(0.25, page.sum("inference_gateway_backpressure_seconds_total"), 1e-9);
    assertEquals(1, page.sum("inference_gateway_resends_total", Map.of("kind", "retry")));
    assertEquals(1, page.sum("inference_gateway_resends_total", Map.of("kind", "rescue")));
    assertEquals(1, page.sum("inference_gateway_resends_total", Map.of("kind", "fallback")));
    assertFalse(page.has("inference_gateway_cancelled_tokens_total"));
  }

  @Test
  void tokensOfCallsThatNobodyWaitedForAreCountedApart() {
    metrics.over(left("small", "team-a"));
    MetricsPageText page = page();
    assertEquals(
        21,
        page.sum(
            "inference_gateway_cancelled_tokens_total",
            Map.of("outcome", "client_cancel", "gen_ai_request_model", "small")));
  }

  /** A backend that is too slow for its callers has no good end to be measured by. */
  @Test
  void paceIsMeasuredWhateverTheEnd() {
    metrics.over(cut(CallOutcome.CLIENT_DEADLINE, 3, 5_000));
    metrics.over(cut(CallOutcome.CLIENT_DEADLINE, 1, 5_000));
    metrics.over(cut(CallOutcome.CLIENT_CANCEL, 1, 1));
    MetricsPageText page = page();
    String pace = "gen_ai_server_time_per_output_token_seconds";
    Map<String, String> late = Map.of("outcome", "client_deadline");
    assertEquals(2, page.sum(pace + "_count", late));
    assertEquals(5.0 / 3 + 5.0, page.sum(pace + "_sum", late), 1e-9);
    assertEquals(0, page.sum(pace + "_count", Map.of("outcome", "client_cancel")));
    assertEquals(
        2,
        page.sum(
            "inference_gateway_calls_total",
            Map.of("outcome", "client_deadline", "phase", "decode")));
  }

  private static CallRecord cut(CallOutcome outcome, int tokens, int afterFirstMillis) {
    return record(
        "small",
        "",
        outcome,
        "DEADLINE_EXCEEDED",
        Context.root(),
        tokens,
        100_000_000L,
        100_000_000L + afterFirstMillis * 1_000_000L,
        0);
  }

  @Test
  void callsWithoutAFirstTokenCountAsPrefillUntilTheirEnd() {
    metrics.over(good("small", ""));
    metrics.over(
        record(
            "small",
            "",
            CallOutcome.CLIENT_DEADLINE,
            "DEADLINE_EXCEEDED",
            Context.root(),
            0,
            -1,
            3_000_000_000L,
            0));
    MetricsPageText page = page();
    for (String came : List.of("yes", "no")) {
      assertEquals(
          1,
          page.sum(
              "inference_gateway_prefill_duration_seconds_count",
              Map.of("backend", "gpu-1", "gen_ai_request_model", "small", "first_token", came)));
    }
    assertEquals(1, page.sum("gen_ai_server_time_to_first_token_seconds_count"));
  }

  /** A call may take as long as max-call-time; buckets that end before hide by how much. */
  @Test
  void bucketsGoBeyondTheGatewaysOwnLimits() {
    metrics.over(good("small", "team-a"));
    MetricsPageText page = page();
    Map<String, Double> least =
        Map.of(
            "gen_ai_server_request_duration_seconds", 600.0,
            "gen_ai_server_time_to_first_token_seconds", 600.0,
            "inference_gateway_prefill_duration_seconds", 300.0,
            "inference_gateway_queue_duration_seconds", 600.0,
            "gen_ai_server_time_per_output_token_seconds", 60.0);
    least.forEach((name, most) -> assertTrue(lastBucket(page, name) >= most, name));
  }

  private static double lastBucket(MetricsPageText page, String name) {
    return page.series().stream()
        .filter(each -> each.name().equals(name + "_bucket"))
        .map(each -> each.labels().get("le"))
        .filter(le -> !le.equals("+Inf"))
        .mapToDouble(Double::parseDouble)
        .max()
        .orElse(0);
  }

  /** increase() sees no series that is born at 1. */
  @Test
  void bugsAreCountedFromZero() {
    assertTrue(page().has("inference_gateway_bugs_total"));
    assertEquals(0, page().sum("inference_gateway_bugs_total"));
    metrics.over(record("small", "", CallOutcome.BUG, "INTERNAL", Context.root()));
    assertEquals(1, page().sum("inference_gateway_bugs_total"));
  }

  @Test
  void everyAttemptIsCountedAtItsBackend() {
    metrics.attempted(
        new AttemptRecord(
            "gpu-3",
            CallOutcome.UPSTREAM_5XX,
            Reason.UPSTREAM_QUEUE_FULL,
            Phase.PREFILL,
            Context.root()));
    metrics.attempted(
        new AttemptRecord("gpu-1", CallOutcome.OK, null, Phase.DECODE, Context.root()));
    MetricsPageText page = page();
    String name = "inference_gateway_backend_attempts_total";
    assertEquals(
        1,
        page.sum(
            name,
            Map.of(
                "backend", "gpu-3", "reason", "UPSTREAM_QUEUE_FULL", "outcome", "upstream_5xx")));
    assertEquals(1, page.sum(name, Map.of("backend", "gpu-1", "outcome", "ok")));
  }

  /** P35: whatever callers make up, the number of series stays. */
  @Test
  void junkNamesMakeNoSeries() {
    for (int i = 0; i < 200; i++) {
      metrics.over(good("small", "caller-" + i));
      metrics.over(good("junk-" + i, "caller-" + i));
    }
    int before = ownSeries();
    for (int i = 0; i < JUNK; i++) {
      metrics.over(good("junk-" + i, "caller-" + i));
    }
    assertEquals(before, ownSeries());
    assertEquals(
        JUNK + 200,
        page().sum("inference_gateway_calls_total", Map.of("gen_ai_request_model", "other")));
  }

  private long countOwn() {
    return page().series().stream().filter(each -> !each.name().startsWith("jvm_")).count();
  }

  private int ownSeries() {
    return (int) countOwn();
  }

  @Test
  void openMetricsShowsTracesBesideBuckets() {
    metrics.over(traced(good("small", "team-a"), TraceFlags.getSampled()));
    String text =
        MetricsPageText.read(telemetry.metricsPort(), MetricsPageText.OPEN_METRICS).text();
    assertTrue(text.endsWith("# EOF\n"), "not OpenMetrics");
    assertTrue(
        text.lines()
            .anyMatch(
                line ->
                    line.startsWith("gen_ai_server_request_duration_seconds_bucket")
                        && line.contains("trace_id=\"" + TRACE + "\"")),
        text);
  }

  /** Two Prometheus servers, and a person with curl. */
  @Test
  void everyReaderSeesTheTracesUntilThereAreNewerOnes() {
    metrics.over(traced(good("small", "team-a"), TraceFlags.getSampled()));
    List<String> first = tracedLines();
    assertTrue(first.size() > 3, first.toString());
    page();
    assertEquals(first, tracedLines());
    metrics.over(good("small", "team-a"));
    assertEquals(first.size(), tracedLines().size());
  }

  private List<String> tracedLines() {
    return MetricsPageText.read(telemetry.metricsPort(), MetricsPageText.OPEN_METRICS)
        .text()
        .lines()
        .filter(line -> line.contains(" # {"))
        .toList();
  }

  @Test
  void tracesThatAreNotKeptAreNotShown() {
    metrics.over(traced(good("small", "team-a"), TraceFlags.getDefault()));
    String text =
        MetricsPageText.read(telemetry.metricsPort(), MetricsPageText.OPEN_METRICS).text();
    assertFalse(text.contains(TRACE));
  }

  @Test
  void denialsAreCountedFromZero() {
    assertTrue(page().has("inference_gateway_denials_total"));
    metrics.denied(
        new Denial(
            Reason.PERMISSION_DENIED,
            "id",
            "team-a",
            "",
            "peer",
            METHOD,
            "large",
            "",
            Context.root()));
    assertEquals(
        1, page().sum("inference_gateway_denials_total", Map.of("reason", "PERMISSION_DENIED")));
  }

  @Test
  void refusedFilesShowUntilTheyAreGoodAgain() {
    List<Path> files = List.of(Path.of("/etc/callers.yaml"), Path.of("/etc/more"));
    Map<String, String> file = Map.of("file", "/etc/callers.yaml");
    metrics.follows(files);
    assertEquals(1, page().sum("inference_gateway_config_in_force", file));
    metrics.reloaded(files, false);
    assertEquals(0, page().sum("inference_gateway_config_in_force", file));
    metrics.reloaded(files, true);
    assertEquals(1, page().sum("inference_gateway_config_in_force", file));
    assertEquals(
        1, page().sum("inference_gateway_config_reloads_total", Map.of("result", "failed")));
  }

  private MetricsPageText page() {
    return MetricsPageText.read(telemetry.metricsPort());
  }

  private static CallRecord good(String model, String caller) {
    return record(model, caller, CallOutcome.OK, "OK", Context.root());
  }

  private static CallRecord left(String model, String caller) {
    return record(model, caller, CallOutcome.CLIENT_CANCEL, "CANCELLED", Context.root());
  }

  private static CallRecord traced(CallRecord call, TraceFlags flags) {
    SpanContext span =
        SpanContext.create(TRACE, "b7ad6b7169203331", flags, TraceState.getDefault());
    return record(
        call.model(),
        call.caller(),
        call.outcome(),
        call.code(),
        Context.root().with(Span.wrap(span)));
  }

  private static CallRecord record(
      String model, String caller, CallOutcome outcome, String code, Context trace) {
    return record(
        model, caller, outcome, code, trace, 21, 1_000_000_000L, 3_000_000_000L, 250_000_000L);
  }

  private static CallRecord record(
      String model,
      String caller,
      CallOutcome outcome,
      String code,
      Context trace,
      int tokens,
      long firstToken,
      long total,
      long paused) {
    return new CallRecord(
        "id",
        METHOD,
        "peer",
        caller,
        model,
        model,
        "gpu-1",
        outcome,
        code,
        null,
        Phase.DECODE,
        "stop",
        7,
        tokens,
        true,
        tokens,
        500_000_000L,
        400_000_000L,
        firstToken,
        total,
        paused,
        false,
        1,
        1,
        1,
        1,
        null,
        trace);
  }
}
