package inferencegateway.route;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How often calls may be sent a second time: for at most a fifth of the calls of the last seconds,
 * so that backends that fail are not buried under retries, and always for a few.
 *
 * <p>Thread-safe; a lock held for a few instructions once a call.
 */
public final class RetryBudget {

  private static final long WINDOW = Duration.ofSeconds(5).toNanos();
  private static final int SHARE = 5;
  private static final int ALWAYS = 3;

  private final LongSupplier clock;

  // Two windows side by side, the present and the one before, slide well enough.
  private long windowBegan;
  private int calls;
  private int retries;
  private int callsBefore;
  private int retriesBefore;

  public RetryBudget() {
    this(System::nanoTime);
  }

  RetryBudget(LongSupplier clock) {
    this.clock = clock;
    this.windowBegan = clock.getAsLong();
  }

  /** A call is sent for the first time. */
  public synchronized void called() {
    slide();
    calls++;
  }

  /** Asks to send a call once more; counted when allowed. */
  public synchronized boolean mayRetry() {
    slide();
    return take((calls + callsBefore) / SHARE);
  }

  /**
   * Asks to go on elsewhere with an answer whose backend died. Counted with the retries, but
   * allowed as often as calls run: a backend that dies breaks all of its streams off at once, and
   * none is rescued twice.
   */
  public synchronized boolean mayRescue(int running) {
    slide();
    return take(running);
  }

  private boolean take(int share) {
    int allowed = Math.max(ALWAYS, share);
    if (retries + retriesBefore >= allowed) {
      return false;
    }
    retries++;
    return true;
  }

  private void slide() {
    long passed = clock.getAsLong() - windowBegan;
    if (passed < WINDOW) {
      return;
    }
    boolean next = passed < 2 * WINDOW;
    callsBefore = next ? calls : 0;
    retriesBefore = next ? retries : 0;
    calls = 0;
    retries = 0;
    windowBegan += passed - passed % WINDOW;
  }
}
