package inferencegateway.admin;

import inferencegateway.telemetry.CallOutcome;
import java.util.concurrent.atomic.AtomicLongArray;

/** Calls that are over, by outcome. Thread-safe. */
public final class Tally {

  private static final int OUTCOMES = CallOutcome.values().length;

  private final AtomicLongArray counts = new AtomicLongArray(OUTCOMES);

  public void count(CallOutcome outcome) {
    counts.incrementAndGet(outcome.ordinal());
  }

  long of(CallOutcome outcome) {
    return counts.get(outcome.ordinal());
  }
}
