package inferencegateway.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with one record, so that all of it can be told at once. */
final class Check {

  private final List<InvalidRecord.Fault> faults = new ArrayList<>();

  Check positive(String key, Duration value) {
    return that(!value.isNegative() && !value.isZero(), key, "must be longer than 0s");
  }

  Check notNegative(String key, Duration value) {
    return that(!value.isNegative(), key, "must not be negative");
  }

  Check atLeast(String key, int value, int least) {
    return that(value >= least, key, "must be " + least + " or more");
  }

  /**
   * @param fault reads on after the key: "must be ..."
   */
  Check that(boolean right, String key, String fault) {
    if (!right) {
      faults.add(new InvalidRecord.Fault(key, fault));
    }
    return this;
  }

  /** Throws {@link InvalidRecord} when anything was wrong. */
  void done() {
    if (!faults.isEmpty()) {
      throw new InvalidRecord(faults);
    }
  }
}
