package inferencegateway.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import inferencegateway.config.AdmissionConfig;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The places of one backend: so many calls run, so many wait behind them in order of arrival, the
 * rest is refused at once.
 *
 * <p>Thread-safe. The lock protects the count and the queue from calls of other loops; a waiter is
 * told outside of it.
 */
public final class Admission {

  private final int maxRunning;
  private final int maxWaiting;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private int running;

  @GuardedBy("lock")
  private final Queue<Place> waiting = new ArrayDeque<>();

  public Admission(AdmissionConfig config) {
    this.maxRunning = config.running();
    this.maxWaiting = config.waiting();
  }

  /**
   * Asks for a place.
   *
   * @param granted run once if the place is not held on return and becomes so later; on the thread
   *     of the call that left, so it must only hop to its own. It may still run after {@link
   *     Place#release}: check there.
   * @return a place to release exactly when the call is over, held or still waiting; empty when the
   *     queue is full
   */
  public Optional<Place> ask(Runnable granted) {
    synchronized (lock) {
      if (running < maxRunning) {
        running++;
        return Optional.of(new Place(granted, Place.State.HELD));
      }
      if (waiting.size() >= maxWaiting) {
        return Optional.empty();
      }
      Place place = new Place(granted, Place.State.WAITING);
      waiting.add(place);
      return Optional.of(place);
    }
  }

  /** Calls that hold a place now. */
  public int running() {
    synchronized (lock) {
      return running;
    }
  }

  /** Calls that wait for a place now. */
  public int waiting() {
    synchronized (lock) {
      return waiting.size();
    }
  }

  /** One call's place, from asking to release. */
  public final class Place {

    private enum State {
      WAITING,
      HELD,
      RELEASED
    }

    private final Runnable granted;

    /** Guarded by the lock of the backend's admission. */
    private State state;

    private Place(Runnable granted, State state) {
      this.granted = granted;
      this.state = state;
    }

    /** Whether the call may run. */
    public boolean isHeld() {
      synchronized (lock) {
        return state == State.HELD;
      }
    }

    /** Gives the place to the longest waiter, or leaves the queue. Idempotent. */
    public void release() {
      Place next = leave();
      if (next != null) {
        next.granted.run();
      }
    }

    private @Nullable Place leave() {
      synchronized (lock) {
        State before = state;
        state = State.RELEASED;
        if (before == State.WAITING) {
          waiting.remove(this);
          return null;
        }
        return before == State.HELD ? passOn() : null;
      }
    }

    @GuardedBy("lock")
    private @Nullable Place passOn() {
      Place next = waiting.poll();
      if (next == null) {
        running--;
      } else {
        next.state = State.HELD;
      }
      return next;
    }
  }
}
