package inferencegateway.config;

import java.time.Duration;

/**
 * How files that may change are followed.
 *
 * @param interval key {@code reload.interval}; zero: only on SIGHUP
 */
public record ReloadConfig(Duration interval) {
  public ReloadConfig {
    new Check().notNegative("reload.interval", interval).done();
  }
}
