package inferencegateway.admission;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the backends need for a first token, by model: only what nearly every call needs counts, as
 * it is used to turn calls away. Guarded by the gate's lock.
 */
final class FirstTokens {

  private static final double NEARLY_ALL_TAKE_LONGER = 0.1;
  private static final int ENOUGH = 20;
  private static final int MOST_MODELS = 500;

  /** Older than that, a measurement is doubted: one call in that time tries. */
  private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final class Measured {
    final Quantile times = new Quantile();
    long latest;
    long last;
    long tried;
  }

  private final Map<String, Measured> models = new HashMap<>();

  /** One first token came so long after its call had got its place. */
  void add(String model, long nanos, long now) {
    if (models.size() >= MOST_MODELS && !models.containsKey(model)) {
      models.values().removeIf(old -> now - old.last > FORGET_NANOS);
      if (models.size() >= MOST_MODELS) {
        return;
      }
    }
    Measured measured = models.computeIfAbsent(model, name -> new Measured());
    measured.times.add(nanos);
    measured.latest = nanos;
    measured.last = now;
    measured.tried = now;
  }

  /**
   * Nanoseconds that a first token takes at least; 0 while that is not known. A crowd that has gone
   * is still among the measurements, so the latest one alone may say that it was quicker.
   */
  long least(String model, long now) {
    Measured measured = models.get(model);
    return measured == null || measured.times.size() < ENOUGH || now - measured.last > FORGET_NANOS
        ? 0
        : Math.min(measured.latest, measured.times.below(NEARLY_ALL_TAKE_LONGER));
  }

  /** Whether a call that would be turned away is let through, to see whether all is still so. */
  boolean mayTry(String model, long now) {
    Measured measured = models.get(model);
    if (measured == null || now - measured.tried <= DOUBT_NANOS) {
      return false;
    }
    measured.tried = now;
    return true;
  }
}
