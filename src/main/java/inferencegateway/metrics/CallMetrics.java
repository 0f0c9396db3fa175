package inferencegateway.metrics;

import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.opentelemetry.api.metrics.DoubleCounter;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import java.util.EnumSet;
import java.util.Set;

/**
 * What is recorded of each call, when it is over: some ten additions. Thread: the call's loop; all
 * of it is thread-safe.
 */
final class CallMetrics {

  private static final double NANOS = 1e9;

  private static final Set<CallOutcome> LEFT =
      EnumSet.of(CallOutcome.CLIENT_CANCEL, CallOutcome.CLIENT_DEADLINE, CallOutcome.SLOW_CONSUMER);

  private final CallSeries series;
  private final DoubleHistogram duration;
  private final DoubleHistogram firstToken;
  private final DoubleHistogram perToken;
  private final LongHistogram tokens;
  private final LongCounter calls;
  private final LongCounter backendCalls;
  private final LongCounter cancelledTokens;
  private final LongCounter resends;
  private final DoubleCounter backpressure;
  private final DoubleHistogram queue;
  private final DoubleHistogram close;

  CallMetrics(Meter meter, CallSeries series) {
    this.series = series;
    this.duration = Metric.REQUEST_DURATION.histogram(meter);
    this.firstToken = Metric.TIME_TO_FIRST_TOKEN.histogram(meter);
    this.perToken = Metric.TIME_PER_OUTPUT_TOKEN.histogram(meter);
    this.tokens = Metric.TOKEN_USAGE.longHistogram(meter);
    this.calls = Metric.CALLS.counter(meter);
    this.backendCalls = Metric.BACKEND_CALLS.counter(meter);
    this.cancelledTokens = Metric.CANCELLED_TOKENS.counter(meter);
    this.resends = Metric.RESENDS.counter(meter);
    this.backpressure = Metric.BACKPRESSURE.doubleCounter(meter);
    this.queue = Metric.QUEUE_DURATION.histogram(meter);
    this.close = Metric.UPSTREAM_CLOSE_DURATION.histogram(meter);
  }

  void over(CallRecord call) {
    Context trace = call.traceContext();
    CallSeries.Of of = series.of(call);
    calls.add(1, of.call(), trace);
    duration.record(call.totalNanos() / NANOS, of.duration(), trace);
    times(call, of, trace);
    tokens(call, of, trace);
    if (!call.backend().isEmpty()) {
      backendCalls.add(1, series.backend(call.backend(), call.outcome(), call.phase()), trace);
    }
    resends(call, of);
  }

  private void times(CallRecord call, CallSeries.Of of, Context trace) {
    if (call.firstTokenNanos() >= 0) {
      firstToken.record(call.firstTokenNanos() / NANOS, of.plain(), trace);
    }
    if (call.firstTokenNanos() >= 0
        && call.outcome() == CallOutcome.OK
        && call.outputTokens() > 1) {
      double rest = (call.totalNanos() - call.firstTokenNanos()) / NANOS;
      perToken.record(rest / (call.outputTokens() - 1), of.plain(), trace);
    }
    if (call.queueNanos() >= 0) {
      queue.record(call.queueNanos() / NANOS, of.model(), trace);
    }
    if (call.pausedNanos() > 0) {
      backpressure.add(call.pausedNanos() / NANOS, of.model(), trace);
    }
  }

  /** A backend that was left, or that counts nothing, has not told of the input. */
  private void tokens(CallRecord call, CallSeries.Of of, Context trace) {
    if (call.inputTokens() > 0) {
      tokens.record(call.inputTokens(), of.input(), trace);
    }
    if (call.outputTokens() > 0) {
      tokens.record(call.outputTokens(), of.output(), trace);
    }
    if (call.outputTokens() > 0 && LEFT.contains(call.outcome())) {
      cancelledTokens.add(call.outputTokens(), series.left(call), trace);
    }
  }

  private void resends(CallRecord call, CallSeries.Of of) {
    resend(call.moved(), of, "retry");
    resend(call.rescued(), of, "rescue");
    resend(call.fallbacks(), of, "fallback");
  }

  private void resend(int times, CallSeries.Of of, String kind) {
    if (times > 0) {
      resends.add(times, of.model().toBuilder().put(Label.KIND, kind).build());
    }
  }

  void upstreamClosed(CallRecord call, long nanos) {
    close.record(nanos / NANOS, series.outcome(call.outcome()), call.traceContext());
  }
}
