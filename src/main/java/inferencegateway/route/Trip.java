package inferencegateway.route;

import inferencegateway.admission.Candidates;
import inferencegateway.admission.Capacity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where one call may go: the backends that serve its model, less those that it has tried.
 *
 * <p>Thread: the call's loop; {@link #choose} from any, under the gate's lock, while the call
 * waits.
 */
public final class Trip implements Candidates {

  private final String model;
  private final List<Backend> backends;
  private final List<Backend> tried = new ArrayList<>(2);

  Trip(String model, List<Backend> backends) {
    this.model = model;
    this.backends = backends;
  }

  /** The name to send upstream; empty leaves the choice to the backend. */
  public String model() {
    return model;
  }

  @Override
  public synchronized @Nullable Capacity choose(Predicate<Capacity> hasRoom) {
    Backend best = leastBusy(hasRoom, true);
    // Probes may be wrong, and a call that is refused has no chance at all.
    best = best == null && noneIsUp() ? leastBusy(hasRoom, false) : best;
    return best == null ? null : best.capacity();
  }

  private @Nullable Backend leastBusy(Predicate<Capacity> hasRoom, boolean upOnly) {
    Backend best = null;
    for (Backend next : backends) {
      if ((next.isUp() || !upOnly)
          && !tried.contains(next)
          && hasRoom.test(next.capacity())
          && (best == null || next.capacity().running() < best.capacity().running())) {
        best = next;
      }
    }
    return best;
  }

  private boolean noneIsUp() {
    return backends.stream().noneMatch(next -> next.isUp() && !tried.contains(next));
  }

  /** Whose place that is. */
  public Backend at(Capacity place) {
    return backends.stream()
        .filter(next -> next.capacity() == place)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("not a place of this trip"));
  }

  /**
   * Goes on to another backend for the same model.
   *
   * @return false when there is none that was not tried
   */
  public synchronized boolean leave(Backend failed) {
    tried.add(failed);
    return tried.size() < backends.size();
  }
}
