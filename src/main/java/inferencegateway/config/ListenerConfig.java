package inferencegateway.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC side: where, with which identity, within which limits.
 *
 * @param listen key {@code listen}
 * @param healthListen key {@code health-listen}; null: no second port
 * @param tls keys {@code tls.*}; null: plaintext
 * @param reflection key {@code reflection.enabled}
 * @param keepAlive keys {@code keep-alive.*}
 * @param connection keys {@code connection.*}
 * @param maxConnections key {@code limits.connections}
 * @param maxRequestBytes key {@code limits.max-request-bytes}
 * @param metadataSoftBytes key {@code limits.metadata-soft}
 * @param metadataHardBytes key {@code limits.metadata-hard}
 */
public record ListenerConfig(
    HostPort listen,
    @Nullable HostPort healthListen,
    @Nullable TlsConfig tls,
    boolean reflection,
    KeepAlive keepAlive,
    Connection connection,
    int maxConnections,
    int maxRequestBytes,
    int metadataSoftBytes,
    int metadataHardBytes) {

  public ListenerConfig {
    new Check()
        .atLeast("limits.connections", maxConnections, 1)
        .atLeast("limits.max-request-bytes", maxRequestBytes, 1)
        .atLeast("limits.metadata-soft", metadataSoftBytes, 1)
        .that(
            metadataSoftBytes <= metadataHardBytes,
            "limits.metadata-soft",
            "must not be above limits.metadata-hard")
        .that(
            listen.port() == 0 || !listen.equals(healthListen),
            "health-listen",
            "must not be the address of listen")
        .done();
  }

  /**
   * Pings in both directions.
   *
   * @param time silence before we ping, {@code keep-alive.time}
   * @param timeout wait for its answer, {@code keep-alive.timeout}
   * @param permitTime shortest interval of callers' pings, {@code keep-alive.permit-time}
   * @param permitWithoutCalls whether callers may ping while idle, {@code
   *     keep-alive.permit-without-calls}
   */
  public record KeepAlive(
      Duration time, Duration timeout, Duration permitTime, boolean permitWithoutCalls) {

    public KeepAlive {
      new Check()
          .positive("keep-alive.time", time)
          .positive("keep-alive.timeout", timeout)
          .notNegative("keep-alive.permit-time", permitTime)
          .done();
    }
  }

  /**
   * One caller's connection.
   *
   * @param maxAge {@code connection.max-age}; ten percent of jitter is added
   * @param maxAgeGrace {@code connection.max-age-grace}; how long calls on an old connection may
   *     still run
   * @param maxIdle {@code connection.max-idle}
   * @param maxStreams {@code connection.max-streams}; above it: REFUSED_STREAM
   * @param maxResets {@code connection.max-resets}; resets taken from one connection in 10 s
   * @param handshakeTimeout {@code connection.handshake-timeout}; TLS and HTTP/2 preface
   */
  public record Connection(
      Duration maxAge,
      Duration maxAgeGrace,
      Duration maxIdle,
      int maxStreams,
      int maxResets,
      Duration handshakeTimeout) {

    public Connection {
      new Check()
          .positive("connection.max-age", maxAge)
          .notNegative("connection.max-age-grace", maxAgeGrace)
          .positive("connection.max-idle", maxIdle)
          .atLeast("connection.max-streams", maxStreams, 1)
          .atLeast("connection.max-resets", maxResets, 1)
          .positive("connection.handshake-timeout", handshakeTimeout)
          .done();
    }
  }
}
