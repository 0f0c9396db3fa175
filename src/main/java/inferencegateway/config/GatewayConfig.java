package inferencegateway.config;

/** All that can be set, checked. One record per concern; each states its keys. */
public record GatewayConfig(
    ListenerConfig listener,
    UpstreamConfig upstream,
    CallConfig call,
    AdmissionConfig admission,
    HealthConfig health,
    DrainConfig drain,
    LogConfig log) {}
