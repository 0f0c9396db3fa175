package inferencegateway.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * How soon places become free at the backends that one call may go to. Made for one look, used
 * again for the next. Guarded by the gate's lock.
 */
final class Turnover implements Predicate<Capacity> {

  private final List<Capacity> seen = new ArrayList<>();

  /** Notes the backends that it is asked about. */
  @Override
  public boolean test(Capacity capacity) {
    seen.add(capacity);
    return capacity.hasRoom();
  }

  void clear() {
    seen.clear();
  }

  /** Enough was measured to say anything. */
  boolean isKnown() {
    return !seen.isEmpty() && seen.stream().allMatch(Capacity::isMeasured);
  }

  /** Nanoseconds until so many places have become free. */
  double until(int places) {
    return places / perNano();
  }

  /** Nanoseconds that a call takes, from place to release. */
  double meanHold() {
    int running = 0;
    for (Capacity each : seen) {
      running += each.running();
    }
    return running / perNano();
  }

  double perNano() {
    double sum = 0;
    for (Capacity each : seen) {
      sum += each.perNano();
    }
    return sum;
  }

  /**
   * Whether so many places become free within a time: by the mean rate, and by the age of what runs
   * now. Calls that began together end together, and the mean knows nothing of that.
   */
  boolean frees(int places, double within, long now) {
    return until(places) <= within && (within >= meanHold() || due(places, (long) within, now));
  }

  private boolean due(int places, long within, long now) {
    int count = 0;
    for (Capacity each : seen) {
      count += each.due(within, now, places - count);
    }
    return count >= places;
  }
}
