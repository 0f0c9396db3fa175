package inferencegateway.config;

import java.time.Duration;

/**
 * How a stop is paced.
 *
 * @param pause readiness is off, new calls are still served; key {@code drain.pause}
 * @param grace no new calls, running ones may end; counts from the end of the pause; key {@code
 *     drain.grace}
 */
public record DrainConfig(Duration pause, Duration grace) {
  public DrainConfig {
    new Check().notNegative("drain.pause", pause).notNegative("drain.grace", grace).done();
  }
}
