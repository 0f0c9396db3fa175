package inferencegateway.admission;

import inferencegateway.config.AdmissionConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Callers, the gate, and a backend with eight slots and a queue of its own, in simulated time: an
 * hour takes a second, and every run is the same.
 */
final class Rush {

  private static final int SLOTS = 8;
  private static final long FIRST_TOKEN = Duration.ofMillis(100).toNanos();
  private static final long LOOK = Duration.ofSeconds(1).toNanos();

  private record Event(long at, long number, Runnable what) {}

  /** What became of one caller's calls, as far as they are counted. */
  static final class Fate {
    int offered;
    int answered;
    final Map<String, Integer> refusals = new HashMap<>();
    final List<Long> nanos = new ArrayList<>();

    double share() {
      return answered / (double) offered;
    }

    Duration p99() {
      Collections.sort(nanos);
      return Duration.ofNanos(nanos.get(nanos.size() * 99 / 100));
    }
  }

  private final SplittableRandom random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final Map<String, Fate> fates = new HashMap<>();
  private final Capacity capacity;
  private final Gate gate;
  private final boolean tells;
  private final double variation;

  private final Deque<Runnable> backendQueue = new ArrayDeque<>();
  private int slotsUsed;

  private long now;
  private long numbers;
  private long countFrom;

  /**
   * @param tells whether the backend says what runs and waits
   * @param variation of the time a call takes, both ways, as a share of half a second
   */
  Rush(AdmissionConfig config, boolean tells, double variation, long seed) {
    this.capacity = Capacity.of(config);
    this.gate = new Gate(config, () -> false, () -> now);
    this.tells = tells;
    this.variation = variation;
    this.random = new SplittableRandom(seed);
    at(LOOK, this::look);
  }

  static double perSecondAtMost() {
    return SLOTS / 0.5;
  }

  /** Calls at random from now on. */
  void caller(String name, double perSecond) {
    fates.computeIfAbsent(name, all -> new Fate());
    at(
        (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9),
        () -> arrive(name, perSecond));
  }

  Map<String, Fate> run(Duration settle, Duration measure) {
    countFrom = now + settle.toNanos();
    fates.replaceAll((name, before) -> new Fate());
    long end = countFrom + measure.toNanos();
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event next = events.remove();
      now = next.at();
      next.what().run();
    }
    return fates;
  }

  int limit() {
    return capacity.limit();
  }

  private void at(long delay, Runnable what) {
    events.add(new Event(now + delay, numbers++, what));
  }

  private void look() {
    if (tells && capacity.running() > 0) {
      gate.told(capacity, slotsUsed, backendQueue.size(), 0.5);
    }
    at(LOOK, this::look);
  }

  private void arrive(String caller, double perSecond) {
    caller(caller, perSecond);
    Call call = new Call(caller, now);
    if (call.counts) {
      call.fate.offered++;
    }
    Asked asked =
        gate.ask(
            Crowd.by(caller), hasRoom -> hasRoom.test(capacity) ? capacity : null, call::decided);
    if (asked instanceof Place place) {
      call.place = place;
      call.decided();
    } else if (asked instanceof Asked.Refused refused) {
      call.fate.refusals.merge(refused.failure().message(), 1, Integer::sum);
    }
  }

  private final class Call {
    private final long began;
    private final boolean counts;
    private final Fate fate;
    private Place place;
    private boolean sent;

    Call(String caller, long began) {
      this.began = began;
      this.counts = began >= countFrom;
      this.fate = fates.get(caller);
    }

    void decided() {
      if (place != null && place.held() != null && !sent) {
        sent = true;
        backendQueue.add(this::start);
        fillSlots();
      }
    }

    private void start() {
      at(FIRST_TOKEN, place::firstToken);
      double vary = 1 + variation * (2 * random.nextDouble() - 1);
      at((long) (0.5e9 * vary), this::end);
    }

    private void end() {
      slotsUsed--;
      place.release();
      fillSlots();
      if (counts) {
        fate.answered++;
        fate.nanos.add(now - began);
      }
    }
  }

  private void fillSlots() {
    while (slotsUsed < SLOTS && !backendQueue.isEmpty()) {
      slotsUsed++;
      backendQueue.remove().run();
    }
  }
}
