package inferencegateway.metrics;

import static inferencegateway.metrics.Label.BACKEND;
import static inferencegateway.metrics.Label.CALLER;
import static inferencegateway.metrics.Label.ERROR;
import static inferencegateway.metrics.Label.FILE;
import static inferencegateway.metrics.Label.FIRST_TOKEN_CAME;
import static inferencegateway.metrics.Label.KIND;
import static inferencegateway.metrics.Label.METHOD;
import static inferencegateway.metrics.Label.MODEL;
import static inferencegateway.metrics.Label.OPERATION;
import static inferencegateway.metrics.Label.OUTCOME;
import static inferencegateway.metrics.Label.PHASE;
import static inferencegateway.metrics.Label.PROVIDER;
import static inferencegateway.metrics.Label.REASON;
import static inferencegateway.metrics.Label.RESULT;
import static inferencegateway.metrics.Label.STATE;
import static inferencegateway.metrics.Label.STATUS;
import static inferencegateway.metrics.Label.TOKEN_TYPE;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.metrics.DoubleCounter;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.List;

/**
 * All metrics of the gateway's own: name, unit, labels, meaning. Those of gRPC (gRFC A66) and of
 * the JVM are made by their libraries.
 */
enum Metric {
  REQUEST_DURATION(
      Kind.HISTOGRAM,
      "gen_ai.server.request.duration",
      "s",
      "From a call's headers to its end",
      Bounds.REQUEST,
      OPERATION,
      PROVIDER,
      MODEL,
      METHOD,
      CALLER,
      STATUS,
      ERROR),
  TIME_TO_FIRST_TOKEN(
      Kind.HISTOGRAM,
      "gen_ai.server.time_to_first_token",
      "s",
      "From a call's headers to the first token of a streamed answer",
      Bounds.FIRST_TOKEN,
      OPERATION,
      PROVIDER,
      MODEL,
      METHOD,
      CALLER),
  TIME_PER_OUTPUT_TOKEN(
      Kind.HISTOGRAM,
      "gen_ai.server.time_per_output_token",
      "s",
      "Mean time of each token after the first of a streamed answer, whatever its end, without the"
          + " time that its caller did not read; the wait that a cut answer ended in counts as one"
          + " more",
      Bounds.OUTPUT_TOKEN,
      OPERATION,
      PROVIDER,
      MODEL,
      METHOD,
      CALLER,
      OUTCOME),
  TOKEN_USAGE(
      Kind.HISTOGRAM,
      "gen_ai.client.token.usage",
      "{token}",
      "Tokens of one call, by type: input and output",
      Bounds.TOKENS,
      OPERATION,
      PROVIDER,
      MODEL,
      METHOD,
      CALLER,
      TOKEN_TYPE),

  CALLS(
      Kind.COUNTER,
      "inference_gateway.calls",
      "{call}",
      "Calls that have ended; with phase, where they did not end well",
      OUTCOME,
      REASON,
      PHASE,
      STATUS,
      MODEL,
      METHOD,
      CALLER),
  BUGS(
      Kind.COUNTER,
      "inference_gateway.bugs",
      "{call}",
      "Calls that failed by a fault of the gateway itself; from 0 on, so that the first is a rise"),
  CALLS_IN_FLIGHT(
      Kind.GAUGE, "inference_gateway.calls.in_flight", "{call}", "Calls that run or wait now"),
  CANCELLED_TOKENS(
      Kind.COUNTER,
      "inference_gateway.cancelled.tokens",
      "{token}",
      "Output tokens of calls that nobody waited for to the end",
      OUTCOME,
      MODEL),
  RESENDS(
      Kind.COUNTER,
      "inference_gateway.resends",
      "{call}",
      "Calls sent once more: retry (another backend), rescue (the rest of a broken answer),"
          + " fallback (another model)",
      KIND,
      MODEL),
  BACKPRESSURE(
      Kind.DOUBLE_COUNTER,
      "inference_gateway.backpressure",
      "s",
      "Time that backends were held back because callers did not read",
      MODEL),
  DENIALS(
      Kind.COUNTER,
      "inference_gateway.denials",
      "{call}",
      "Calls refused for whose they are, in the audit log or left out there",
      REASON),

  QUEUE_LENGTH(
      Kind.GAUGE, "inference_gateway.queue.length", "{call}", "Calls that wait for a place"),
  QUEUE_DURATION(
      Kind.HISTOGRAM,
      "inference_gateway.queue.duration",
      "s",
      "Time that a call waited for a place, with one or without at the end; calls refused at once"
          + " did not wait",
      Bounds.QUEUE,
      MODEL),

  PREFILL_DURATION(
      Kind.HISTOGRAM,
      "inference_gateway.prefill.duration",
      "s",
      "From a streamed request's leaving for a backend to its first token; with first_token=no to"
          + " the end of a call that got none",
      Bounds.FIRST_TOKEN,
      BACKEND,
      MODEL,
      FIRST_TOKEN_CAME),
  BACKEND_ATTEMPTS(
      Kind.COUNTER,
      "inference_gateway.backend.attempts",
      "{attempt}",
      "Attempts at a backend that are over, also those that another backend made good; phase, where"
          + " they did not end well",
      BACKEND,
      OUTCOME,
      REASON,
      PHASE),
  BACKEND_STATE(
      Kind.GAUGE,
      "inference_gateway.backend.state",
      "1",
      "1 for the state that a backend is in, 0 for the others",
      BACKEND,
      STATE),
  BACKEND_IN_FLIGHT(
      Kind.GAUGE,
      "inference_gateway.backend.in_flight",
      "{call}",
      "Places taken at a backend",
      BACKEND),
  BACKEND_LIMIT(
      Kind.GAUGE,
      "inference_gateway.backend.limit",
      "{call}",
      "Places at a backend, as found out so far",
      BACKEND),
  ENGINE_RUNNING(
      Kind.DOUBLE_GAUGE,
      "inference_gateway.engine.running",
      "{call}",
      "Calls in a backend's batch, whoever sent them; its own word, while calls of ours run there",
      BACKEND),
  ENGINE_WAITING(
      Kind.DOUBLE_GAUGE,
      "inference_gateway.engine.waiting",
      "{call}",
      "Calls in a backend's own queue; likewise",
      BACKEND),
  ENGINE_CACHE(
      Kind.DOUBLE_GAUGE,
      "inference_gateway.engine.cache",
      "1",
      "Share of a backend's KV cache in use, 0 to 1; likewise",
      BACKEND),

  CONNECTIONS_OPEN(
      Kind.GAUGE,
      "inference_gateway.upstream.connections",
      "{connection}",
      "Connections to a backend: connecting, busy and idle",
      BACKEND),
  CONNECTIONS_OPENED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.upstream.connections.opened",
      "{connection}",
      "Connections to a backend ever made",
      BACKEND),
  CONNECTIONS_REUSED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.upstream.connections.reused",
      "{request}",
      "Requests on a connection that had carried one before",
      BACKEND),
  STALE_REPLAYS(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.upstream.stale_replays",
      "{request}",
      "Such requests sent again because the backend had closed the connection",
      BACKEND),
  UPSTREAM_ABORTED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.upstream.aborted",
      "{request}",
      "Requests given up, by closing their connection",
      BACKEND),
  UPSTREAM_CLOSE_DURATION(
      Kind.HISTOGRAM,
      "inference_gateway.upstream.close.duration",
      "s",
      "From seeing that a caller has left to the closed connection to the backend",
      Bounds.CLOSE,
      OUTCOME),

  GATEWAY_STATE(
      Kind.GAUGE,
      "inference_gateway.state",
      "1",
      "1 for the state that the gateway is in, 0 for the others",
      STATE),
  CONNECTIONS(
      Kind.GAUGE, "inference_gateway.connections", "{connection}", "Connections of callers"),
  CONNECTIONS_REFUSED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.connections.refused",
      "{connection}",
      "Connections closed on accept, above limits.connections"),
  HANDSHAKES_FAILED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.handshakes.failed",
      "{handshake}",
      "TLS handshakes of callers that came to nothing, whoever refused whom"),
  CERTIFICATE_NOT_AFTER(
      Kind.GAUGE,
      "inference_gateway.certificate.not_after",
      "s",
      "When a file's certificates stop being good, Unix time; of authorities the last one's end",
      FILE),
  HEALTH_WATCHES(
      Kind.GAUGE, "inference_gateway.health.watches", "{stream}", "Health watches that are open"),
  REQUEST_MEMORY(
      Kind.GAUGE,
      "inference_gateway.memory.requests",
      "By",
      "Bytes of requests held until a backend begins to answer"),
  DIRECT_USED(
      Kind.GAUGE,
      "inference_gateway.memory.direct",
      "By",
      "Memory outside of the heap in use by connections"),
  DIRECT_LIMIT(
      Kind.GAUGE,
      "inference_gateway.memory.direct.limit",
      "By",
      "Memory outside of the heap that connections may use"),
  CONFIG_RELOADS(
      Kind.COUNTER,
      "inference_gateway.config.reloads",
      "{reload}",
      "Files read again, by result: ok and failed",
      FILE,
      RESULT),
  CONFIG_IN_FORCE(
      Kind.GAUGE,
      "inference_gateway.config.in_force",
      "1",
      "1 while the file's content is in force, 0 while it is refused and the old one stays",
      FILE),
  LOG_DROPPED(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.log.dropped",
      "{line}",
      "Log lines dropped because they came faster than they were read, or could not be written"),
  SCRAPES_TURNED_AWAY(
      Kind.OBSERVED_COUNTER,
      "inference_gateway.scrapes.turned_away",
      "{scrape}",
      "Readers of the page of metrics turned away because there were too many");

  /** What kind of instrument; observed ones are looked up when somebody reads. */
  enum Kind {
    COUNTER("counter"),
    DOUBLE_COUNTER("counter"),
    OBSERVED_COUNTER("counter"),
    HISTOGRAM("histogram"),
    GAUGE("gauge"),
    DOUBLE_GAUGE("gauge");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * Upper bounds of buckets. Those of gen_ai metrics are the conventions' own, and go on from there
   * beyond the gateway's own limits.
   */
  private static final class Bounds {
    static final List<Double> REQUEST =
        List.of(
            0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
            163.84, 327.68, 655.36);
    static final List<Double> FIRST_TOKEN =
        List.of(
            0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
            10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0);
    static final List<Double> OUTPUT_TOKEN =
        List.of(
            0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0,
            20.0, 40.0, 80.0);
    static final List<Double> TOKENS =
        List.of(
            1.0,
            4.0,
            16.0,
            64.0,
            256.0,
            1024.0,
            4096.0,
            16384.0,
            65536.0,
            262144.0,
            1048576.0,
            4194304.0,
            16777216.0,
            67108864.0);
    static final List<Double> QUEUE =
        List.of(
            0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
            600.0);
    static final List<Double> CLOSE =
        List.of(0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0);
  }

  private final Kind kind;
  private final String id;
  private final String unit;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<Double> bounds;

  @SuppressWarnings("ImmutableEnumChecker") // likewise
  private final List<AttributeKey<String>> labels;

  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  Metric(Kind kind, String id, String unit, String meaning, AttributeKey<String>... labels) {
    this(kind, id, unit, meaning, List.of(), labels);
  }

  @SafeVarargs
  @SuppressWarnings("varargs") // only read
  Metric(
      Kind kind,
      String id,
      String unit,
      String meaning,
      List<Double> bounds,
      AttributeKey<String>... labels) {
    this.kind = kind;
    this.id = id;
    this.unit = unit;
    this.meaning = meaning;
    this.bounds = bounds;
    this.labels = List.of(labels);
  }

  Kind kind() {
    return kind;
  }

  /** As OpenTelemetry has it. */
  String id() {
    return id;
  }

  String unit() {
    return unit;
  }

  String meaning() {
    return meaning;
  }

  List<AttributeKey<String>> labels() {
    return labels;
  }

  // --- making them ---

  LongCounter counter(Meter meter) {
    return meter.counterBuilder(id).setUnit(unit).setDescription(meaning).build();
  }

  DoubleCounter doubleCounter(Meter meter) {
    return meter.counterBuilder(id).ofDoubles().setUnit(unit).setDescription(meaning).build();
  }

  DoubleHistogram histogram(Meter meter) {
    return meter
        .histogramBuilder(id)
        .setUnit(unit)
        .setDescription(meaning)
        .setExplicitBucketBoundariesAdvice(bounds)
        .build();
  }

  LongHistogram longHistogram(Meter meter) {
    return meter
        .histogramBuilder(id)
        .ofLongs()
        .setUnit(unit)
        .setDescription(meaning)
        .setExplicitBucketBoundariesAdvice(bounds.stream().map(Double::longValue).toList())
        .build();
  }

  /** A gauge or a counter that is looked up when somebody reads. */
  ObservableLongMeasurement observed(Meter meter) {
    return kind == Kind.GAUGE
        ? meter.gaugeBuilder(id).ofLongs().setUnit(unit).setDescription(meaning).buildObserver()
        : meter.counterBuilder(id).setUnit(unit).setDescription(meaning).buildObserver();
  }

  ObservableDoubleMeasurement observedDouble(Meter meter) {
    return meter.gaugeBuilder(id).setUnit(unit).setDescription(meaning).buildObserver();
  }
}
