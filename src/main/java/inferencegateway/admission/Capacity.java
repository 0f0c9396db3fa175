package inferencegateway.admission;

import inferencegateway.config.AdmissionConfig;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many calls one backend is given at once. Belongs to one {@link Gate}, whose lock guards it;
 * the figures may be read from anywhere.
 */
public final class Capacity {

  private static final int ENOUGH = 8;

  /** The mean of about so many latest calls. */
  private static final int MEMORY = 64;

  private final Limit limit;
  private final AtomicInteger running = new AtomicInteger();

  /** Those that run, the oldest first. */
  private final Places places = new Places();

  private volatile int limitNow;
  private double meanHold;
  private long releases;

  private Capacity(Limit limit) {
    this.limit = limit;
    this.limitNow = limit.value();
  }

  /**
   * A limit that never changes.
   *
   * @param limit most calls at once, 1 and up
   */
  public Capacity(int limit) {
    this(new Limit(false, limit, limit, limit));
  }

  /** A limit by the rules of {@code admission.*}. */
  public static Capacity of(AdmissionConfig config) {
    return new Capacity(new Limit(config.adaptive(), config.running(), config.min(), config.max()));
  }

  /** Calls that hold a place now; a moment's figure where it is read outside of the gate. */
  public int running() {
    return running.get();
  }

  /** Most calls at once, as it is now. */
  public int limit() {
    return limitNow;
  }

  boolean hasRoom() {
    return running.get() < limitNow;
  }

  void take(Place place) {
    places.add(place);
    limit.used(running.incrementAndGet(), place.heldSince);
    changed();
  }

  void giveBack(Place place, long heldNanos) {
    places.remove(place);
    running.decrementAndGet();
    releases++;
    double weight = 1.0 / Math.min(MEMORY, releases);
    meanHold += (heldNanos - meanHold) * weight;
  }

  /** Looks at what the backend says of itself; true when there may be room that was not before. */
  boolean told(double itsRunning, double itsWaiting, double cache, long now) {
    limit.told(running.get(), itsRunning, itsWaiting, cache, now);
    return changed();
  }

  boolean firstToken(long nanos, long promptChars, long now) {
    limit.firstToken(nanos, promptChars, now);
    return changed();
  }

  void pushedBack(long now) {
    limit.pushedBack(running.get(), now);
    changed();
  }

  private boolean changed() {
    int before = limitNow;
    limitNow = limit.value();
    return limitNow > before;
  }

  /** Whether enough calls have ended to say how long one takes. */
  boolean isMeasured() {
    return releases >= ENOUGH;
  }

  /** Nanoseconds that a call holds its place. */
  double meanHold() {
    return Math.max(1, meanHold);
  }

  /** Calls that end in a nanosecond, by Little's law. */
  double perNano() {
    return running.get() / meanHold();
  }

  /**
   * How many of the calls that run should be over within a time, by their age.
   *
   * @param enough counting stops there
   */
  int due(long within, long now, int enough) {
    int count = 0;
    @Nullable Place next = places.first();
    while (next != null && count < enough && next.heldSince + meanHold - now <= within) {
      count++;
      next = next.next;
    }
    return count;
  }
}
