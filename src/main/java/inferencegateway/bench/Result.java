package inferencegateway.bench;

import org.jspecify.annotations.Nullable;

/**
 * One scenario's figures.
 *
 * @param floor of the proxy that only copies bytes, under the same load
 * @param memory of the scenario about memory only
 */
record Result(
    Scenario scenario,
    int streams,
    Figure gateway,
    @Nullable Figure floor,
    @Nullable Memory memory) {

  /** How many times the floor's processor time the gateway takes; 0 without one. */
  double ratio() {
    return floor == null || floor.micros() == 0 ? 0 : gateway.micros() / floor.micros();
  }

  long failures() {
    return gateway.failures() + (floor == null ? 0 : floor.failures());
  }
}
