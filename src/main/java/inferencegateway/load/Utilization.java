package inferencegateway.load;

import inferencegateway.route.Backend;
import inferencegateway.upstream.EngineLoad;
import java.util.List;

/**
 * How busy the backends are, all together, at one moment. A backend counts for as many calls as it
 * may have at once.
 *
 * @param share of what they can do, by the scarcer of places and KV cache; with what waits here, so
 *     that it goes above 1. 1 when no backend is up
 * @param running calls of ours at backends
 * @param limit as many may be
 * @param engineRunning calls in the backends' batches, whoever sent them; 0 where they do not say
 * @param engineWaiting the same of their queues
 * @param cache share of the KV cache in use, of those that say; 0 where none does
 */
record Utilization(
    double share,
    int running,
    int limit,
    double engineRunning,
    double engineWaiting,
    double cache) {

  static Utilization of(List<Backend> backends, int waiting) {
    Sum sum = new Sum();
    backends.stream().filter(Backend::isUp).forEach(sum::add);
    return sum.with(waiting);
  }

  private static final class Sum {
    private int running;
    private int limit;
    private double used;
    private double engineRunning;
    private double engineWaiting;
    private double cacheUsed;
    private int cacheOf;

    void add(Backend backend) {
      int places = Math.max(1, backend.capacity().limit());
      int ours = backend.capacity().running();
      double share = (double) ours / places;
      EngineLoad said = backend.said();
      if (said != null) {
        // Others may use it too. A call that has just ended may still be counted there.
        share = Math.max(share, (said.running() + said.waiting()) / places);
        engineRunning += said.running();
        engineWaiting += said.waiting();
        if (said.cache() >= 0) {
          share = Math.max(share, said.cache());
          cacheUsed += said.cache() * places;
          cacheOf += places;
        }
      }
      used += share * places;
      running += ours;
      limit += places;
    }

    Utilization with(int waiting) {
      return new Utilization(
          limit == 0 ? 1 : (used + waiting) / limit,
          running,
          limit,
          engineRunning,
          engineWaiting,
          cacheOf == 0 ? 0 : cacheUsed / cacheOf);
    }
  }
}
