package inferencegateway.admission;

import java.util.concurrent.TimeUnit;

/**
 * An allowance that comes in evenly and may pile up to a minute's worth; it may be overdrawn.
 * Guarded by the gate's lock.
 */
final class Rate {

  private static final double MINUTE = TimeUnit.MINUTES.toNanos(1);

  private double perMinute;
  private double level;
  private long at;

  Rate(double perMinute, long now) {
    this.perMinute = perMinute;
    this.level = perMinute;
    this.at = now;
  }

  /** Takes over a changed limit; what was used stays used. */
  void follow(double newPerMinute, long now) {
    if (newPerMinute != perMinute) {
      fill(now);
      level += newPerMinute - perMinute;
      perMinute = newPerMinute;
    }
  }

  /** Nanoseconds until there is one to take; 0 when there is. */
  long untilOne(long now) {
    fill(now);
    return level >= 1 ? 0 : (long) Math.ceil((1 - level) * MINUTE / perMinute);
  }

  /** Takes, also what is not there. */
  void take(double amount) {
    level -= amount;
  }

  boolean isFull(long now) {
    fill(now);
    return level >= perMinute;
  }

  private void fill(long now) {
    level = Math.min(perMinute, level + (now - at) / MINUTE * perMinute);
    at = now;
  }
}
