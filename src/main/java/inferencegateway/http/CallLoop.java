package inferencegateway.http;

import java.time.Duration;

/** The one thread that a call lives on, as seen by code that knows no Netty. */
public interface CallLoop {

  /** Whether the caller is on it. */
  boolean isCurrent();

  /** Runs soon, on the loop. May be called from anywhere. */
  void execute(Runnable task);

  /**
   * Runs once after {@code delay}, on the loop, by a monotonic clock. May be called from anywhere.
   */
  Timer schedule(Duration delay, Runnable task);

  /** A task that is still to run. */
  interface Timer {
    /** After this returns on the loop, the task will not run. Idempotent. */
    void cancel();
  }
}
