package inferencegateway.metrics;

import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.opentelemetry.api.common.Attributes;
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

  /** Ended because the next token did not come in time. */
  private static final Set<CallOutcome> WAITED_FOR_MORE =
      EnumSet.of(CallOutcome.CLIENT_DEADLINE, CallOutcome.TIME_LIMIT, CallOutcome.STALLED);

  private static final Set<CallOutcome> LEFT =
      EnumSet.of(CallOutcome.CLIENT_CANCEL, CallOutcome.CLIENT_DEADLINE, CallOutcome.SLOW_CONSUMER);

  private final CallSeries series;
  private final DoubleHistogram duration;
  private final DoubleHistogram firstToken;
  private final DoubleHistogram perToken;
  private final LongHistogram tokens;
  private final LongCounter calls;
  private final LongCounter attempts;
  private final LongCounter bugs;
  private final LongCounter cancelledTokens;
  private final LongCounter resends;
  private final DoubleCounter backpressure;
  private final DoubleHistogram queue;
  private final DoubleHistogram prefill;
  private final DoubleHistogram close;

  CallMetrics(Meter meter, CallSeries series) {
    this.series = series;
    this.duration = Metric.REQUEST_DURATION.histogram(meter);
    this.firstToken = Metric.TIME_TO_FIRST_TOKEN.histogram(meter);
    this.perToken = Metric.TIME_PER_OUTPUT_TOKEN.histogram(meter);
    this.tokens = Metric.TOKEN_USAGE.longHistogram(meter);
    this.calls = Metric.CALLS.counter(meter);
    this.attempts = Metric.BACKEND_ATTEMPTS.counter(meter);
    this.bugs = Metric.BUGS.counter(meter);
    this.cancelledTokens = Metric.CANCELLED_TOKENS.counter(meter);
    this.resends = Metric.RESENDS.counter(meter);
    this.backpressure = Metric.BACKPRESSURE.doubleCounter(meter);
    this.queue = Metric.QUEUE_DURATION.histogram(meter);
    this.prefill = Metric.PREFILL_DURATION.histogram(meter);
    this.close = Metric.UPSTREAM_CLOSE_DURATION.histogram(meter);
    bugs.add(0);
  }

  void over(CallRecord call) {
    Context trace = call.traceContext();
    CallSeries.Of of = series.of(call);
    calls.add(1, of.call(), trace);
    duration.record(call.totalNanos() / NANOS, of.duration(), trace);
    times(call, of, trace);
    tokens(call, of, trace);
    if (call.outcome() == CallOutcome.BUG) {
      bugs.add(1, Attributes.empty(), trace);
    }
    resends(call, of);
  }

  void attempted(AttemptRecord attempt) {
    attempts.add(1, series.attempt(attempt), attempt.traceContext());
  }

  private void times(CallRecord call, CallSeries.Of of, Context trace) {
    if (call.firstTokenNanos() >= 0) {
      firstToken.record(call.firstTokenNanos() / NANOS, of.plain(), trace);
    }
    int waits = waits(call);
    if (call.firstTokenNanos() >= 0 && waits > 0) {
      long rest = call.totalNanos() - call.firstTokenNanos() - call.pausedNanos();
      perToken.record(Math.max(0, rest) / NANOS / waits, of.ended(), trace);
    }
    if (call.prefillNanos() >= 0) {
      boolean came = call.firstTokenNanos() >= 0;
      prefill.record(
          call.prefillNanos() / NANOS, series.prefill(call.backend(), of.model(), came), trace);
    }
    if (call.queueNanos() >= 0) {
      queue.record(call.queueNanos() / NANOS, of.model(), trace);
    }
    if (call.pausedNanos() > 0) {
      backpressure.add(call.pausedNanos() / NANOS, of.model(), trace);
    }
  }

  /**
   * How often a token was waited for after the first. The last wait of an answer that was cut was
   * not over: as long as it was, it counts, or answers so slow that nobody waits for their end
   * would not show at all. Whoever leaves at the first token has not waited.
   */
  private static int waits(CallRecord call) {
    if (call.outcome() == CallOutcome.OK) {
      return call.outputTokens() - 1;
    }
    int least = WAITED_FOR_MORE.contains(call.outcome()) ? 1 : 2;
    return call.outputTokens() >= least ? call.outputTokens() : 0;
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
