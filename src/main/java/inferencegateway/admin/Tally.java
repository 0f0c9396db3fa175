package inferencegateway.admin;

import inferencegateway.telemetry.CallOutcome;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Calls that are over, by outcome. Thread-safe. */
public final class Tally {

  private final Map<CallOutcome, LongAdder> counts = new ConcurrentHashMap<>();

  public void count(CallOutcome outcome) {
    counts.computeIfAbsent(outcome, first -> new LongAdder()).increment();
  }

  long of(CallOutcome outcome) {
    LongAdder count = counts.get(outcome);
    return count == null ? 0 : count.sum();
  }
}
