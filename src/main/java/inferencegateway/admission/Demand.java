package inferencegateway.admission;

import java.util.concurrent.TimeUnit;

/** How often somebody has asked of late, refused or not; fades. Guarded by the gate's lock. */
final class Demand {

  /** What was asked that long ago counts a third. */
  static final double MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private double sum;
  private long at;

  void asked(long now) {
    sum = sum(now) + 1;
    at = now;
  }

  /** Calls in about {@link #MEMORY_NANOS}. */
  double sum(long now) {
    return sum == 0 ? 0 : sum * Math.exp(-(now - at) / MEMORY_NANOS);
  }
}
