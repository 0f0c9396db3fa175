package inferencegateway.load;

import inferencegateway.chat.Reason;
import inferencegateway.proto.orca.OrcaLoadReport;
import inferencegateway.route.Backend;
import inferencegateway.telemetry.CallRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps the latest load report.
 *
 * <p>A client weighs a server by calls a second over utilization. Both are averages over the same
 * few seconds and taken at even intervals: taken at the ends of calls, they would never show an
 * idle moment, and a server with few calls would look busier than it is.
 *
 * <p>Thread: {@link #look} on one, the rest from anywhere.
 */
public final class LoadMeter {

  /** How often to look. */
  public static final Duration PERIOD = Duration.ofMillis(200);

  private static final double NANOS = 1e9;

  /**
   * One report, ready to be sent.
   *
   * @param bytes the same, encoded; not to be changed
   */
  record Report(OrcaLoadReport message, byte[] bytes) {
    Report(OrcaLoadReport message) {
      this(message, message.toByteArray());
    }
  }

  private final Supplier<List<Backend>> backends;
  private final IntSupplier waiting;
  private final LongSupplier clock;
  private final LongAdder ended = new LongAdder();
  private final LongAdder failed = new LongAdder();

  private final Mean share = new Mean();
  private final Mean callsPerSecond = new Mean();
  private final Mean errorsPerSecond = new Mean();
  private long lookedAt;

  private volatile Report latest = new Report(OrcaLoadReport.getDefaultInstance());

  /**
   * @param backends all that there are now
   * @param waiting calls that wait for a place
   */
  public LoadMeter(Supplier<List<Backend>> backends, IntSupplier waiting) {
    this(backends, waiting, System::nanoTime);
  }

  LoadMeter(Supplier<List<Backend>> backends, IntSupplier waiting, LongSupplier clock) {
    this.backends = backends;
    this.waiting = waiting;
    this.clock = clock;
    this.lookedAt = clock.getAsLong();
  }

  /** A call is over. */
  public void ended(CallRecord call) {
    ended.increment();
    if (isOurFault(call)) {
      failed.increment();
    }
  }

  /**
   * What another gateway might have done better: its backends, its key and its limits are others.
   */
  private static boolean isOurFault(CallRecord call) {
    return switch (call.outcome()) {
      case UPSTREAM_4XX, UPSTREAM_5XX, UPSTREAM_RESET, STALLED, DRAINED, BUG -> true;
      case SHED -> !Reason.QUOTA.name().equals(call.reason());
      default -> false;
    };
  }

  /** To be called every {@link #PERIOD} or so. */
  public void look() {
    long now = clock.getAsLong();
    long passed = Math.max(1, now - lookedAt);
    lookedAt = now;
    int queued = waiting.getAsInt();
    Utilization moment = Utilization.of(backends.get(), queued);
    share.add(moment.share(), passed);
    callsPerSecond.add(ended.sumThenReset() * NANOS / passed, passed);
    errorsPerSecond.add(failed.sumThenReset() * NANOS / passed, passed);
    latest = new Report(report(moment, queued));
  }

  /** The names that vLLM has for its own figures are kept. */
  private OrcaLoadReport report(Utilization moment, int queued) {
    return OrcaLoadReport.newBuilder()
        .setApplicationUtilization(Math.max(share.value(), failing()))
        .setRpsFractional(callsPerSecond.value())
        .setEps(errorsPerSecond.value())
        .putNamedMetrics("in_flight", moment.running())
        .putNamedMetrics("in_flight_limit", moment.limit())
        .putNamedMetrics("queued", queued)
        .putNamedMetrics("num_requests_running", moment.engineRunning())
        .putNamedMetrics("num_requests_waiting", moment.engineWaiting())
        .putNamedMetrics("kv_cache_usage_perc", moment.cache())
        .build();
  }

  /**
   * Share of the calls that fail, 0 to 1. Who fails is quick and has much room: by its room alone
   * it would be sent all there is, also by clients that give errors no weight.
   */
  private double failing() {
    double all = callsPerSecond.value();
    return all == 0 ? 0 : errorsPerSecond.value() / all;
  }

  /** Share of what the backends can do, over the last seconds; above 1 when calls wait. */
  public double utilization() {
    return latest.message().getApplicationUtilization();
  }

  Report latest() {
    return latest;
  }
}
