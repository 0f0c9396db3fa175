package inferencegateway.config;

import java.time.Duration;

/**
 * How the backend is watched.
 *
 * @param interval between probes while it is up, key {@code health.interval}
 * @param downInterval between probes while it is down, key {@code health.down-interval}
 * @param failures failed probes in a row that mean down, key {@code health.failures}
 * @param timeout longest wait for one probe, key {@code health.timeout}
 * @param stall streams waiting and no token on any for that long means wedged, key {@code
 *     stall-watchdog}
 */
public record HealthConfig(
    Duration interval, Duration downInterval, int failures, Duration timeout, Duration stall) {
  public HealthConfig {
    new Check()
        .positive("health.interval", interval)
        .positive("health.down-interval", downInterval)
        .atLeast("health.failures", failures, 1)
        .positive("health.timeout", timeout)
        .positive("stall-watchdog", stall)
        .done();
  }
}
