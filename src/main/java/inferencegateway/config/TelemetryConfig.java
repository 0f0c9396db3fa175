package inferencegateway.config;

import org.jspecify.annotations.Nullable;

/**
 * Where this process can be looked into.
 *
 * @param metrics of Prometheus' page; null: none
 * @param admin of the admin port; null: none
 * @param loadReports whether clients are told of our load
 */
public record TelemetryConfig(@Nullable Port metrics, @Nullable Port admin, boolean loadReports) {

  /**
   * @param key of the setting, for messages
   * @param asked whether somebody set it: only then is it a fault that it cannot be opened, so that
   *     two gateways on one host start without a flag
   */
  public record Port(String key, HostPort address, boolean asked) {}
}
