package inferencegateway.route;

import inferencegateway.admission.Capacity;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Backends that serve one model alike, and how one of them is chosen.
 *
 * @param model the name that they know it by; empty leaves the choice to them
 * @param weight its share of the calls beside the other pools of the same model
 */
record Pool(List<Backend> backends, String model, int weight) {

  /** How far above its fair share a backend may be and still get the calls that prefer it. */
  private static final double OVER_FAIR = 1.25;

  Pool {
    backends = List.copyOf(backends);
  }

  /** Least work for its weight; among equals, each call begins to look elsewhere. */
  @Nullable Backend leastBusy(long call, Predicate<Backend> fits, Predicate<Capacity> hasRoom) {
    Backend best = null;
    int size = backends.size();
    int from = (int) Math.floorMod(call, (long) size);
    for (int i = 0; i < size; i++) {
      Backend next = backends.get((from + i) % size);
      if (fits.test(next)
          && hasRoom.test(next.capacity())
          && (best == null || isLessBusy(next, best))) {
        best = next;
      }
    }
    return best;
  }

  private static boolean isLessBusy(Backend one, Backend other) {
    return (one.load() + 1L) * other.config().weight()
        < (other.load() + 1L) * one.config().weight();
  }

  /**
   * The backend that this session prefers, by rendezvous hashing: when backends come or go, only
   * the sessions of those move. One that is above its fair share is passed over for the session's
   * next one, so that a busy session cannot drown a backend while others idle.
   */
  @Nullable Backend preferred(long session, Predicate<Backend> fits, Predicate<Capacity> hasRoom) {
    long load = 0;
    long weights = 0;
    for (Backend each : backends) {
      if (fits.test(each)) {
        load += each.load();
        weights += each.config().weight();
      }
    }
    Backend best = null;
    double bestScore = 0;
    for (Backend next : backends) {
      if (fits.test(next)
          && hasRoom.test(next.capacity())
          && next.load() < fairShare(load, weights, next)) {
        double score = score(session, next);
        if (best == null || score > bestScore) {
          best = next;
          bestScore = score;
        }
      }
    }
    return best == null ? leastBusy(session, fits, hasRoom) : best;
  }

  private static double fairShare(long load, long weights, Backend backend) {
    return Math.ceil(OVER_FAIR * (load + 1) * backend.config().weight() / weights);
  }

  /** Weighted rendezvous hashing: each backend wins sessions in proportion to its weight. */
  private static double score(long session, Backend backend) {
    return -backend.config().weight() / Math.log(Hashing.unit(Hashing.of(session, backend.name())));
  }
}
