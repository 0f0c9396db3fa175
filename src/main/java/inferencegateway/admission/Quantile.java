package inferencegateway.admission;

/**
 * How long something takes, as a histogram of steps of a fifth from 0.1 ms to an hour and more; old
 * measurements fade as new ones come. Guarded by the gate's lock.
 */
final class Quantile {

  private static final double LEAST_NANOS = 100_000;
  private static final double STEP = 1.2;
  private static final double LOG_STEP = Math.log(STEP);
  private static final int STEPS = 100;

  /** Then all that was counted is halved. */
  private static final int MEMORY = 400;

  private final int[] counts = new int[STEPS];
  private int total;

  void add(long nanos) {
    counts[step(nanos)]++;
    if (++total >= MEMORY) {
      total = 0;
      for (int i = 0; i < STEPS; i++) {
        counts[i] /= 2;
        total += counts[i];
      }
    }
  }

  /** Measurements that still count. */
  int size() {
    return total;
  }

  /**
   * What that share of the measurements did not exceed, rounded down to the step.
   *
   * @param share above 0, to 1
   */
  long below(double share) {
    int wanted = (int) Math.ceil(share * total);
    int seen = 0;
    for (int i = 0; i < STEPS; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return i == 0 ? 0 : (long) (LEAST_NANOS * Math.pow(STEP, i - 1));
      }
    }
    return 0;
  }

  private static int step(long nanos) {
    if (nanos < LEAST_NANOS) {
      return 0;
    }
    return Math.min(STEPS - 1, 1 + (int) (Math.log(nanos / LEAST_NANOS) / LOG_STEP));
  }
}
