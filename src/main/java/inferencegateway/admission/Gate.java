package inferencegateway.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import inferencegateway.config.AdmissionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may run now, who waits, who is refused at once.
 *
 * <pre>
 *   ask -room-> HELD -release-> RELEASED
 *   ask -no room-> WAITING -its turn-> HELD
 *                  WAITING -too late, or in the way of a lighter caller-> REFUSED
 * </pre>
 *
 * <p>Thread-safe. One lock guards the counts of every {@link Capacity}, the callers and the queues;
 * a waiter is told outside of it.
 */
public final class Gate {

  private final BooleanSupplier shortOfMemory;
  private final LongSupplier clock;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Holders holders;

  @GuardedBy("lock")
  private final FirstTokens firstTokens = new FirstTokens();

  @GuardedBy("lock")
  private final Queues queues;

  @GuardedBy("lock")
  private final Turnover turnover = new Turnover();

  /**
   * Nobody is in.
   *
   * @param shortOfMemory asked for every call, on its loop; while true all are refused
   */
  public Gate(AdmissionConfig config, BooleanSupplier shortOfMemory) {
    this(config, shortOfMemory, System::nanoTime);
  }

  Gate(AdmissionConfig config, BooleanSupplier shortOfMemory, LongSupplier clock) {
    this.shortOfMemory = shortOfMemory;
    this.clock = clock;
    this.holders = new Holders(clock.getAsLong());
    this.queues = new Queues(config, firstTokens);
  }

  /**
   * Asks for a place at one of the candidates.
   *
   * @param granted run once if the place is not held on return and is decided later: look at {@link
   *     Place#held} and {@link Place#refused}. On the thread of whoever made room, so it must only
   *     hop to its own. It may still run after {@link Place#release}: check there.
   * @return a place to release exactly when the attempt is over, held or still waiting; or a
   *     refusal
   */
  public Asked ask(Asking asking, Candidates candidates, Runnable granted) {
    if (shortOfMemory.getAsBoolean()) {
      return new Asked.Refused(Refusals.memory());
    }
    Place place = new Place(this, asking, candidates, granted);
    List<Place> decided = new ArrayList<>(0);
    Failure no;
    synchronized (lock) {
      long now = clock.getAsLong();
      Holder holder = holders.of(asking, now);
      no = asking.again() ? null : holder.overQuota(now);
      if (no == null) {
        no = admit(place, holder, decided, now);
      }
      if (no == null && !asking.again()) {
        holder.countRequest();
      } else if (no != null) {
        holders.forget(asking.caller(), now);
      }
    }
    tell(decided);
    return no == null ? place : new Asked.Refused(no);
  }

  @GuardedBy("lock")
  private @Nullable Failure admit(Place place, Holder holder, List<Place> decided, long now) {
    Asking asking = place.asking;
    long firstToken = firstTokens.least(asking.model(), now);
    if (firstToken > asking.left(now) && !firstTokens.mayTry(asking.model(), now)) {
      return Refusals.deadline(0, firstToken);
    }
    queues.asked(place, now);
    turnover.clear();
    Capacity free = holder.isAtLimit() ? null : place.candidates.choose(turnover);
    if (free == null) {
      return queues.enqueue(place, holder, turnover, decided, now);
    }
    queues.hold(place, holder, free, now);
    return null;
  }

  /** Looks again whether waiters can run: a backend has come back. */
  public void recheck() {
    List<Place> decided = new ArrayList<>(0);
    synchronized (lock) {
      queues.serveAll(decided, clock.getAsLong());
    }
    tell(decided);
  }

  /**
   * What a backend says of itself.
   *
   * @param running calls in its batch, of anybody
   * @param waiting calls in its own queue
   * @param cache share of its KV cache in use; below 0: it does not say
   */
  public void told(Capacity capacity, double running, double waiting, double cache) {
    List<Place> decided = new ArrayList<>(0);
    synchronized (lock) {
      long now = clock.getAsLong();
      if (capacity.told(running, waiting, cache, now)) {
        queues.serve(capacity, decided, now);
      }
    }
    tell(decided);
  }

  /** Calls that wait for a place now. */
  public int waiting() {
    synchronized (lock) {
      return queues.waiting();
    }
  }

  @Nullable Capacity held(Place place) {
    synchronized (lock) {
      return place.at;
    }
  }

  @Nullable Failure refused(Place place) {
    synchronized (lock) {
      return place.refusal;
    }
  }

  void firstToken(Place place) {
    List<Place> decided = new ArrayList<>(0);
    synchronized (lock) {
      Capacity capacity = place.at;
      if (capacity == null || place.answered) {
        return;
      }
      place.answered = true;
      long now = clock.getAsLong();
      long took = now - place.heldSince;
      firstTokens.add(place.asking.model(), took, now);
      if (capacity.firstToken(took, place.asking.promptChars(), now)) {
        queues.serve(capacity, decided, now);
      }
    }
    tell(decided);
  }

  void pushedBack(Place place) {
    synchronized (lock) {
      if (place.at != null) {
        place.at.pushedBack(clock.getAsLong());
      }
    }
  }

  void charge(Asking asking, long tokens) {
    if (asking.limits().tokensPerMinute() == CallerLimits.NO_LIMIT) {
      return;
    }
    synchronized (lock) {
      holders.of(asking, clock.getAsLong()).charge(tokens);
    }
  }

  void release(Place place) {
    List<Place> decided = new ArrayList<>(0);
    synchronized (lock) {
      long now = clock.getAsLong();
      queues.release(place, decided, now);
      holders.forget(place.asking.caller(), now);
    }
    tell(decided);
  }

  /** Callers that something is known of. */
  int callers() {
    synchronized (lock) {
      return holders.size();
    }
  }

  private static void tell(List<Place> decided) {
    decided.forEach(place -> place.granted.run());
  }
}
