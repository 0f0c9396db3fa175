package inferencegateway.config;

import java.util.Map;

/** All that can be set, checked. One record per concern; each states its keys. */
public record GatewayConfig(
    ListenerConfig listener,
    AccessConfig access,
    RoutingConfig routing,
    UpstreamConfig upstream,
    CallConfig call,
    AdmissionConfig admission,
    HealthConfig health,
    DrainConfig drain,
    ReloadConfig reload,
    TelemetryConfig telemetry,
    LogConfig log) {

  /** What is in force when nothing at all is set. */
  public static GatewayConfig defaults() {
    return Settings.read(Map.of(), Map.of()).config();
  }
}
