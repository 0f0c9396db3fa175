package inferencegateway.admission;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How much each caller may ask for when all together ask for too much: the level up to which
 * everybody's demand can be met, as water finds it. Who stays below has no part in the crowd.
 * Guarded by the gate's lock.
 */
final class FairShare {

  private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(200);

  /** Callers known by name; what others ask for is counted together. */
  private static final int MOST_CALLERS = 1_000;

  /** Who has asked for less is forgotten. */
  private static final double LEAST = 0.5;

  private final Demand all = new Demand();
  private final Map<String, Demand> demands = new HashMap<>();
  private double share;
  private long foundAt;
  private boolean found;

  /** A call was asked for, whatever becomes of it. */
  void asked(String caller, long now) {
    all.asked(now);
    Demand demand = demands.get(caller);
    if (demand == null && demands.size() < MOST_CALLERS) {
      demand = new Demand();
      demands.put(caller, demand);
    }
    if (demand != null) {
      demand.asked(now);
    }
  }

  /**
   * Whether the caller asks for no more than its share.
   *
   * @param perNano calls that can be answered
   */
  boolean isKeptBy(String caller, double perNano, long now) {
    if (!found || now - foundAt > FRESH) {
      found = true;
      foundAt = now;
      demands.values().removeIf(old -> old.sum(now) < LEAST);
      share = find(perNano * Demand.MEMORY_NANOS, now);
    }
    Demand demand = demands.get(caller);
    return (demand == null ? 1 : demand.sum(now)) <= share;
  }

  private double find(double most, long now) {
    double[] known = demands.values().stream().mapToDouble(each -> each.sum(now)).toArray();
    Arrays.sort(known);
    double left = most - Math.max(0, all.sum(now) - Arrays.stream(known).sum());
    for (int i = 0; i < known.length; i++) {
      double even = left / (known.length - i);
      if (known[i] > even) {
        return Math.max(0, even);
      }
      left -= known[i];
    }
    return left > 0 ? Double.MAX_VALUE : 0;
  }
}
