package inferencegateway.admission;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The callers that have something now or have used up some of a rate. Guarded by the lock. */
final class Holders {

  /** Callers without a name come from anywhere: above that many, idle ones are looked for. */
  private static final int MANY = 1_000;

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<String, Holder> all = new HashMap<>();
  private long sweptAt;

  Holders(long now) {
    this.sweptAt = now - SWEEP_NANOS;
  }

  Holder of(Asking asking, long now) {
    Holder holder = all.get(asking.caller());
    if (holder == null) {
      sweep(now);
      holder = new Holder(asking.caller());
      all.put(asking.caller(), holder);
    }
    holder.follow(asking.limits(), now);
    return holder;
  }

  /** If it has nothing any more. */
  void forget(String caller, long now) {
    Holder holder = all.get(caller);
    if (holder != null && holder.isIdle(now)) {
      all.remove(caller);
    }
  }

  private void sweep(long now) {
    if (all.size() >= MANY && now - sweptAt >= SWEEP_NANOS) {
      sweptAt = now;
      all.values().removeIf(holder -> holder.isIdle(now));
    }
  }

  int size() {
    return all.size();
  }
}
