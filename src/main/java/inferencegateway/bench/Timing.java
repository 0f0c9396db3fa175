package inferencegateway.bench;

import java.time.Duration;

/**
 * How long things take.
 *
 * @param warmUp under load before anything is measured, until the compiler is done; at most
 * @param settle from the beginning of a scenario's load to the first mark
 * @param measure from the first mark to the second
 */
record Timing(Duration warmUp, Duration settle, Duration measure) {

  static Timing usual() {
    return new Timing(Duration.ofSeconds(90), Duration.ofSeconds(3), Duration.ofSeconds(6));
  }

  static Timing quick() {
    return new Timing(Duration.ofSeconds(12), Duration.ofSeconds(1), Duration.ofSeconds(2));
  }

  Timing measuring(Duration longer) {
    return new Timing(warmUp, settle, longer);
  }
}
