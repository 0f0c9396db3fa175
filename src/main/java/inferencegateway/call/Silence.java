package inferencegateway.call;

import inferencegateway.http.CallLoop;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fires when nothing was heard for too long: before the first token with one limit, between tokens
 * with another.
 *
 * <p>A token only writes down the time; the one timer looks at it when it fires and goes back to
 * sleep for what is left. So a token costs no timer operation. The watchdog reads the same time
 * from its own thread: written opaquely, which costs what a plain write does.
 */
final class Silence {

  private static final VarHandle HEARD_AT;

  static {
    try {
      HEARD_AT = MethodHandles.lookup().findVarHandle(Silence.class, "heardAt", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final CallLoop loop;
  private final Runnable passed;
  private long limitNanos;

  /** The last token; before the first one, when waiting for it began. */
  private long heardAt;

  /** Whether a token is waited for. Written on the loop, read by the watchdog. */
  private volatile boolean watching;

  private volatile boolean heardAny;
  private CallLoop.@Nullable Timer timer;

  Silence(CallLoop loop, Runnable passed) {
    this.loop = loop;
    this.passed = passed;
  }

  /** Starts, or starts again with another limit. */
  void watch(Duration limit) {
    stop();
    limitNanos = limit.toNanos();
    HEARD_AT.setOpaque(this, System.nanoTime());
    watching = true;
    timer = loop.schedule(limit, this::look);
  }

  /** The first token has come. */
  void heardFirst() {
    heardAny = true;
  }

  /** Waits for somebody else's first token. */
  void startOver() {
    stop();
    heardAny = false;
  }

  void heard(long now) {
    HEARD_AT.setOpaque(this, now);
  }

  void stop() {
    watching = false;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Whether a token is waited for now; from any thread. */
  boolean isWatching() {
    return watching;
  }

  /** The last token, or when waiting began; from any thread. */
  long since() {
    return (long) HEARD_AT.getOpaque(this);
  }

  /** Whether {@link #since} speaks of a token; from any thread. */
  boolean hasHeard() {
    return heardAny;
  }

  private void look() {
    long left = limitNanos - (System.nanoTime() - heardAt);
    if (left > 0) {
      timer = loop.schedule(Duration.ofNanos(left), this::look);
    } else {
      timer = null;
      watching = false;
      passed.run();
    }
  }
}
