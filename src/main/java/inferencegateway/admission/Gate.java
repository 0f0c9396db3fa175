package inferencegateway.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.config.AdmissionConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Who may run now, who waits, who is refused at once.
 *
 * <p>Thread-safe. One lock guards the counts of every {@link Capacity} and the queue; a waiter is
 * told outside of it.
 */
public final class Gate {

  private final int maxWaiting;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Queue<Place> waiting = new ArrayDeque<>();

  public Gate(AdmissionConfig config) {
    this.maxWaiting = config.waiting();
  }

  /**
   * Asks for a place at one of the candidates.
   *
   * @param granted run once if the place is not held on return and becomes so later; on the thread
   *     of whoever made room, so it must only hop to its own. It may still run after {@link
   *     Place#release}: check there.
   * @return a place to release exactly when the attempt is over, held or still waiting; or a
   *     refusal
   */
  public Asked ask(Asking asking, Candidates candidates, Runnable granted) {
    Place place = new Place(this, asking, candidates, granted);
    synchronized (lock) {
      if (take(place)) {
        return place;
      }
      if (waiting.size() < maxWaiting) {
        waiting.add(place);
        return place;
      }
    }
    return new Asked.Refused(
        Failure.of(
            Reason.CONCURRENCY_LIMIT,
            "the backend is busy and its queue is full; call again later"));
  }

  /** Looks again whether waiters can run: a backend has come back, or its limit has grown. */
  public void recheck() {
    tell(takeWaiters());
  }

  /** Calls that wait for a place now. */
  public int waiting() {
    synchronized (lock) {
      return waiting.size();
    }
  }

  @Nullable Capacity held(Place place) {
    synchronized (lock) {
      return place.at;
    }
  }

  void release(Place place) {
    synchronized (lock) {
      Capacity freed = place.at;
      if (place.state == Place.State.WAITING) {
        waiting.remove(place);
      }
      place.state = Place.State.RELEASED;
      place.at = null;
      if (freed == null) {
        return;
      }
      freed.giveBack();
    }
    tell(takeWaiters());
  }

  private List<Place> takeWaiters() {
    List<Place> held = List.of();
    synchronized (lock) {
      for (Iterator<Place> all = waiting.iterator(); all.hasNext(); ) {
        Place next = all.next();
        if (take(next)) {
          all.remove();
          held = held.isEmpty() ? new ArrayList<>() : held;
          held.add(next);
        }
      }
    }
    return held;
  }

  private static void tell(List<Place> held) {
    held.forEach(place -> place.granted.run());
  }

  @GuardedBy("lock")
  private boolean take(Place place) {
    Capacity free = place.candidates.choose(Capacity::hasRoom);
    if (free == null) {
      return false;
    }
    free.take();
    place.at = free;
    place.state = Place.State.HELD;
    return true;
  }
}
