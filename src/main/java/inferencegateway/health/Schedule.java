package inferencegateway.health;

import java.time.Duration;

/** One thread and its clock. Steps never overlap. */
interface Schedule {

  /** Monotonic. */
  long nanoTime();

  /** Runs the step later; from any thread. Does nothing after {@link #stop}. */
  void after(Duration delay, Runnable step);

  void stop();
}
