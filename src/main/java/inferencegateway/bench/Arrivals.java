package inferencegateway.bench;

import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What became of the calls of one load. Written by the loops, read when all is over. */
final class Arrivals {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final double seconds;
  private final Histogram accepted = new Histogram(LONGEST_NANOS, 3);
  private final Histogram refused = new Histogram(LONGEST_NANOS, 3);
  private long made;
  private long lost;

  Arrivals(Duration measured) {
    this.seconds = measured.toNanos() / 1e9;
  }

  synchronized void made() {
    made++;
  }

  /**
   * @param nanos since the call was due
   */
  synchronized void ended(Status.Code code, long nanos) {
    long within = Math.min(nanos, LONGEST_NANOS);
    switch (code) {
      case OK -> accepted.recordValue(within);
      case RESOURCE_EXHAUSTED -> refused.recordValue(within);
      default -> lost++;
    }
    notifyAll();
  }

  /** Until every call has ended; what has not by then counts as lost. */
  synchronized void await(Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (accepted.getTotalCount() + refused.getTotalCount() + lost < made) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        lost = made - accepted.getTotalCount() - refused.getTotalCount();
        return;
      }
      wait(left);
    }
  }

  synchronized Measured measured() {
    return new Measured(
        made / seconds,
        accepted.getTotalCount() / seconds,
        millis(accepted, 50),
        millis(accepted, 99),
        refused.getTotalCount() / seconds,
        millis(refused, 99),
        lost);
  }

  private static double millis(Histogram times, double percentile) {
    return times.getTotalCount() == 0 ? 0 : times.getValueAtPercentile(percentile) / 1e6;
  }

  /**
   * Times in milliseconds from when a call was due to its end.
   *
   * @param goodput whole answers a second
   * @param lost calls that ended in any other way than with their answer or a refusal
   */
  record Measured(
      double offered,
      double goodput,
      double acceptedP50,
      double acceptedP99,
      double refusals,
      double refusalP99,
      long lost) {}
}
