package inferencegateway.call;

import inferencegateway.http.CallLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fires when nothing was heard for too long: before the first token with one limit, between tokens
 * with another.
 *
 * <p>A token only writes down the time; the one timer looks at it when it fires and goes back to
 * sleep for what is left. So a token costs no timer operation.
 */
final class Silence {

  private final CallLoop loop;
  private final Runnable passed;
  private long limitNanos;
  private long heardAt;
  private CallLoop.@Nullable Timer timer;

  Silence(CallLoop loop, Runnable passed) {
    this.loop = loop;
    this.passed = passed;
  }

  /** Starts, or starts again with another limit. */
  void watch(Duration limit) {
    stop();
    limitNanos = limit.toNanos();
    heardAt = System.nanoTime();
    timer = loop.schedule(limit, this::look);
  }

  void heard(long now) {
    heardAt = now;
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void look() {
    long left = limitNanos - (System.nanoTime() - heardAt);
    if (left > 0) {
      timer = loop.schedule(Duration.ofNanos(left), this::look);
    } else {
      timer = null;
      passed.run();
    }
  }
}
