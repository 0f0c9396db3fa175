package inferencegateway.admission;

import inferencegateway.chat.Failure;
import inferencegateway.config.AdmissionConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who waits, where, and who is next. Guarded by the gate's lock. */
final class Queues {

  /** Of what a call takes: callers that are let in shall not notice the crowd. */
  private static final double WAIT_SHARE = 0.15;

  /** Who asks for no more than its share is not sent away for the crowd of others so soon. */
  private static final double PATIENT_SHARE = 1.05;

  /** Nobody minds that little. */
  private static final double SHORT_WAIT = TimeUnit.MILLISECONDS.toNanos(100);

  /** Lines whose first call cannot use a free place are looked past, that many. */
  private static final int LOOKED_AT = 64;

  private final int most;
  private final @Nullable Duration longestWait;
  private final FirstTokens firstTokens;

  /** By set of backends, the one served longest ago first. */
  private final Map<Object, Pool> pools = new LinkedHashMap<>();

  private int waiting;

  Queues(AdmissionConfig config, FirstTokens firstTokens) {
    this.most = config.waiting();
    this.longestWait = config.longestWait();
    this.firstTokens = firstTokens;
  }

  int waiting() {
    return waiting;
  }

  /** The place, which is new or has left its queue, is held from now on. */
  void hold(Place place, Holder holder, Capacity free, long now) {
    place.state = Place.State.HELD;
    place.at = free;
    place.heldSince = now;
    free.take(place);
    pool(place).began(place, holder);
  }

  private Pool pool(Place place) {
    Pool pool = place.pool;
    if (pool == null) {
      pool = pools.computeIfAbsent(place.candidates.pool(), Pool::new);
      place.pool = pool;
    }
    return pool;
  }

  // --- coming ---

  /** Before anything is decided. */
  void asked(Place place, long now) {
    pool(place).share.asked(place.asking.caller(), now);
  }

  /**
   * Lets a call wait, or says why not.
   *
   * @param turnover of the backends that were asked for; none when the caller is at its own limit
   * @param decided gets who had to make room
   */
  @Nullable Failure enqueue(
      Place place, Holder holder, Turnover turnover, List<Place> decided, long now) {
    Pool pool = pool(place);
    Failure no = whyNot(place.asking, holder, pool, turnover, now);
    if (no == null && pool.waiting() >= most) {
      no = makeRoom(pool, holder, decided);
    }
    if (no == null) {
      place.state = Place.State.WAITING;
      pool.enqueue(place, holder);
      waiting++;
    } else {
      forget(pool);
    }
    return no;
  }

  private @Nullable Failure makeRoom(Pool pool, Holder holder, List<Place> decided) {
    Place victim = pool.victim(holder);
    if (victim == null) {
      return Refusals.full();
    }
    refuse(victim, Refusals.displaced());
    decided.add(victim);
    return null;
  }

  private @Nullable Failure whyNot(
      Asking asking, Holder holder, Pool pool, Turnover turnover, long now) {
    if (holder.mayNotWait()) {
      return Refusals.ownLimit();
    }
    if (asking.retried() && pool.waiting() * 2 >= most && most > 1) {
      return Refusals.retry();
    }
    if (!turnover.isKnown()) {
      return null;
    }
    int next = pool.ahead(holder, most) + 1;
    long wait = (long) turnover.until(next);
    long firstToken = firstTokens.least(asking.model(), now);
    if (wait + firstToken > asking.left(now)) {
      return Refusals.deadline(wait, firstToken);
    }
    double longest = longest(turnover);
    if (asking.retried() && !turnover.frees(next, longest / 2, now)) {
      return Refusals.retry();
    }
    if (!turnover.frees(next, longest, now)) {
      boolean mayWait =
          pool.share.isKeptBy(asking.caller(), turnover.perNano(), now)
              && turnover.frees(next, Math.max(longest, PATIENT_SHARE * turnover.meanHold()), now);
      return mayWait ? null : Refusals.longWait(wait);
    }
    return null;
  }

  private double longest(Turnover turnover) {
    return longestWait == null
        ? Math.max(SHORT_WAIT, WAIT_SHARE * turnover.meanHold())
        : longestWait.toNanos();
  }

  // --- going ---

  /** Gives a place back, or leaves the queue. Idempotent. */
  void release(Place place, List<Place> decided, long now) {
    Place.State was = place.state;
    Capacity freed = place.at;
    Line line = place.line;
    Pool pool = place.pool;
    place.state = Place.State.RELEASED;
    place.at = null;
    place.line = null;
    if (pool == null || line == null) {
      return;
    }
    if (was == Place.State.WAITING) {
      waiting--;
      pool.dequeue(place, line);
    } else if (freed != null) {
      freed.giveBack(place, now - place.heldSince);
      pool.ended(line);
      serve(freed, decided, now);
      if (line.holder.hasLimit()) {
        serveCaller(line.holder, decided, now);
      }
    }
    forget(pool);
  }

  private void forget(Pool pool) {
    if (pool.isEmpty()) {
      pools.remove(pool.key, pool);
    }
  }

  private void refuse(Place place, Failure failure) {
    take(place);
    place.state = Place.State.REFUSED;
    place.refusal = failure;
    place.line = null;
  }

  /** Out of its queue. */
  private Line take(Place place) {
    Line line = place.line;
    Pool pool = place.pool;
    if (line == null || pool == null) {
      throw new IllegalStateException("not in a queue");
    }
    waiting--;
    pool.dequeue(place, line);
    return line;
  }

  // --- taking turns ---

  /** That backend has room, as far as it goes. */
  void serve(Capacity capacity, List<Place> decided, long now) {
    boolean served = true;
    while (served && waiting > 0 && capacity.hasRoom()) {
      served = serveOne(capacity, decided, now);
    }
  }

  private boolean serveOne(Capacity capacity, List<Place> decided, long now) {
    Predicate<Capacity> onlyThat = each -> each == capacity && each.hasRoom();
    for (Pool pool : pools.values()) {
      if (pool.waiting() > 0 && serveFrom(pool, onlyThat, LOOKED_AT, decided, now)) {
        pools.remove(pool.key);
        pools.put(pool.key, pool);
        return true;
      }
    }
    return false;
  }

  /** Every backend may have room. */
  void serveAll(List<Place> decided, long now) {
    for (Pool pool : List.copyOf(pools.values())) {
      boolean served = true;
      while (served && pool.waiting() > 0) {
        served = serveFrom(pool, Capacity::hasRoom, Integer.MAX_VALUE, decided, now);
      }
    }
  }

  private boolean serveFrom(
      Pool pool, Predicate<Capacity> hasRoom, int lines, List<Place> decided, long now) {
    int looked = 0;
    for (Level level : pool.levels.values()) {
      for (Line line : level.ready) {
        Place first = line.waiting.first();
        if (first != null && grant(first, hasRoom, decided, now)) {
          return true;
        }
        if (++looked >= lines) {
          return false;
        }
      }
    }
    return false;
  }

  /** The caller has a place less than before. */
  private void serveCaller(Holder holder, List<Place> decided, long now) {
    for (Line line : new ArrayList<>(holder.lines)) {
      Place first = line.waiting.first();
      if (first != null && line.isReady()) {
        grant(first, Capacity::hasRoom, decided, now);
      }
    }
  }

  /** True when the waiter has left its queue: with a place, or refused. */
  private boolean grant(Place place, Predicate<Capacity> hasRoom, List<Place> decided, long now) {
    long firstToken = firstTokens.least(place.asking.model(), now);
    if (firstToken > place.asking.left(now)) {
      refuse(place, Refusals.deadline(0, firstToken));
      decided.add(place);
      return true;
    }
    Capacity free = place.candidates.choose(hasRoom);
    if (free == null) {
      return false;
    }
    Holder holder = take(place).holder;
    hold(place, holder, free, now);
    decided.add(place);
    return true;
  }
}
