package inferencegateway.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the records out of the values in force, and goes on after a fault to find the others. */
final class Assembly {

  private final Values values;
  private final Problems problems;

  Assembly(Values values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /**
   * @throws ConfigException when anything was wrong, here or before
   */
  GatewayConfig config() {
    values.follow(Keys.MAX_AGE_GRACE, Durations.text(values.get(Keys.MAX_CALL_TIME)));
    values.follow(Keys.MAX_RESETS, fourTimes(values.get(Keys.MAX_STREAMS)));
    values.follow(Keys.MAX_RUNNING, Integer.toString(Math.max(1, values.get(Keys.RUNNING))));
    GatewayConfig config =
        new GatewayConfig(
            make(this::listener, GatewayConfig::listener),
            access(),
            routing(),
            make(this::upstream, GatewayConfig::upstream),
            make(this::call, GatewayConfig::call),
            make(this::admission, GatewayConfig::admission),
            make(this::health, GatewayConfig::health),
            make(this::drain, GatewayConfig::drain),
            make(() -> new ReloadConfig(values.get(Keys.RELOAD_INTERVAL)), GatewayConfig::reload),
            telemetry(),
            new LogConfig(values.get(Keys.LOG_FORMAT), values.get(Keys.LOG_LEVEL)));
    problems.throwIfAny();
    return config;
  }

  /** The default record in place of one that cannot be: nothing of it gets out. */
  private <T> T make(Supplier<T> part, Function<GatewayConfig, T> inDefaults) {
    try {
      return part.get();
    } catch (InvalidRecord e) {
      e.faults().forEach(fault -> values.wrong(fault.key(), fault.text()));
      return inDefaults.apply(GatewayConfig.defaults());
    }
  }

  private ListenerConfig listener() {
    ListenerConfig.KeepAlive keepAlive = make(this::keepAlive, c -> c.listener().keepAlive());
    ListenerConfig.Connection connection = make(this::connection, c -> c.listener().connection());
    return new ListenerConfig(
        values.get(Keys.LISTEN),
        values.find(Keys.HEALTH_LISTEN).orElse(null),
        tls().orElse(null),
        values.get(Keys.REFLECTION),
        keepAlive,
        connection,
        values.get(Keys.CONNECTIONS),
        values.get(Keys.MAX_REQUEST_BYTES),
        values.get(Keys.METADATA_SOFT),
        values.get(Keys.METADATA_HARD));
  }

  /** The file is read here for what is wrong with it; who uses it reads it again. */
  private AccessConfig access() {
    Optional<Path> file = values.find(Keys.CALLERS_FILE);
    try {
      file.ifPresent(CallersFile::read);
    } catch (ConfigException e) {
      e.problems().forEach(problems::add);
    }
    return new AccessConfig(file.orElse(null), values.get(Keys.ALLOW_ANY_CALLER));
  }

  private ListenerConfig.KeepAlive keepAlive() {
    return new ListenerConfig.KeepAlive(
        values.get(Keys.KEEP_ALIVE_TIME),
        values.get(Keys.KEEP_ALIVE_TIMEOUT),
        values.get(Keys.PERMIT_TIME),
        values.get(Keys.PERMIT_WITHOUT_CALLS));
  }

  private ListenerConfig.Connection connection() {
    return new ListenerConfig.Connection(
        values.get(Keys.MAX_AGE),
        values.get(Keys.MAX_AGE_GRACE),
        values.get(Keys.MAX_IDLE),
        values.get(Keys.MAX_STREAMS),
        values.get(Keys.MAX_RESETS),
        values.get(Keys.HANDSHAKE_TIMEOUT));
  }

  private Optional<TlsConfig> tls() {
    Optional<Path> certificate = values.file(Keys.TLS_CERT, PemFile::certificates);
    Optional<Path> key = values.file(Keys.TLS_KEY, PemFile::privateKey);
    Optional<Path> clientCa = values.file(Keys.TLS_CLIENT_CA, PemFile::certificates);
    needs(Keys.TLS_CERT, Keys.TLS_KEY);
    needs(Keys.TLS_KEY, Keys.TLS_CERT);
    needs(Keys.TLS_CLIENT_CA, Keys.TLS_CERT);
    return certificate.flatMap(
        chain -> key.map(secret -> new TlsConfig(chain, secret, clientCa.orElse(null))));
  }

  private void needs(Setting<?> setting, Setting<?> other) {
    if (values.isSet(setting) && !values.isSet(other)) {
      values.wrong(setting.key(), "needs " + other.key() + " to be set too");
    }
  }

  private RoutingConfig routing() {
    RoutingConfig.Initial initial =
        new RoutingConfig.Initial(
            values.find(Keys.MODEL).orElse(null),
            values.get(Keys.LENIENT_FINISH),
            values.get(Keys.RUNNING));
    BackendUrl url = values.get(Keys.BACKEND);
    RoutingConfig flat =
        RoutingConfig.only(
            url,
            values.file(Keys.API_KEY_FILE, SecretFile::checked).orElse(null),
            upstreamTls(),
            initial);
    return values.find(Keys.ROUTING_FILE).map(file -> routing(file, initial, flat)).orElse(flat);
  }

  private RoutingConfig routing(
      Path file, RoutingConfig.Initial initial, RoutingConfig inItsPlace) {
    try {
      return RoutingFile.read(file, initial);
    } catch (ConfigException e) {
      e.problems().forEach(problems::add);
      return inItsPlace;
    }
  }

  private UpstreamConfig upstream() {
    return new UpstreamConfig(
        values.get(Keys.CONNECT_TIMEOUT),
        values.get(Keys.UPSTREAM_IDLE),
        values.get(Keys.MAX_EVENT_BYTES),
        values.get(Keys.MAX_RESPONSE_BYTES));
  }

  private BackendTls upstreamTls() {
    Optional<Path> authorities = values.file(Keys.UPSTREAM_CA, PemFile::certificates);
    Optional<Path> certificate = values.file(Keys.UPSTREAM_CERT, PemFile::certificates);
    Optional<Path> key = values.file(Keys.UPSTREAM_KEY, PemFile::privateKey);
    needs(Keys.UPSTREAM_CERT, Keys.UPSTREAM_KEY);
    needs(Keys.UPSTREAM_KEY, Keys.UPSTREAM_CERT);
    if (!values.get(Keys.BACKEND).secure()) {
      Stream.of(Keys.UPSTREAM_CA, Keys.UPSTREAM_CERT, Keys.UPSTREAM_KEY, Keys.UPSTREAM_SERVER_NAME)
          .filter(values::isSet)
          .forEach(each -> values.wrong(each.key(), "needs a backend of https://"));
    }
    return new BackendTls(
        authorities.orElse(null),
        certificate.orElse(null),
        key.orElse(null),
        values.find(Keys.UPSTREAM_SERVER_NAME).orElse(null));
  }

  private CallConfig call() {
    return new CallConfig(
        values.get(Keys.FIRST_TOKEN_TIMEOUT),
        values.get(Keys.GAP_TIMEOUT),
        values.get(Keys.MAX_CALL_TIME),
        values.get(Keys.SLOW_CALLER_STALL));
  }

  private TelemetryConfig telemetry() {
    values
        .get(Keys.ADMIN_LISTEN)
        .filter(address -> !address.isLoopback())
        .ifPresent(
            address ->
                values.wrong(
                    Keys.ADMIN_LISTEN.key(),
                    "must be an address of this host only: 127.0.0.1:9465"));
    return new TelemetryConfig(
        port(Keys.METRICS_LISTEN), port(Keys.ADMIN_LISTEN), values.get(Keys.LOAD_REPORTS));
  }

  private TelemetryConfig.@Nullable Port port(Setting<Optional<HostPort>> setting) {
    return values
        .get(setting)
        .map(address -> new TelemetryConfig.Port(setting.key(), address, values.isSet(setting)))
        .orElse(null);
  }

  private AdmissionConfig admission() {
    return new AdmissionConfig(
        values.get(Keys.RUNNING),
        values.get(Keys.WAITING),
        values.get(Keys.ADAPTIVE),
        values.get(Keys.MIN_RUNNING),
        values.get(Keys.MAX_RUNNING),
        values.find(Keys.LONGEST_WAIT).orElse(null));
  }

  private HealthConfig health() {
    return new HealthConfig(
        values.get(Keys.HEALTH_INTERVAL),
        values.get(Keys.HEALTH_DOWN_INTERVAL),
        values.get(Keys.HEALTH_FAILURES),
        values.get(Keys.HEALTH_TIMEOUT),
        values.get(Keys.STALL_WATCHDOG));
  }

  private DrainConfig drain() {
    return new DrainConfig(values.get(Keys.DRAIN_PAUSE), values.get(Keys.DRAIN_GRACE));
  }

  private static String fourTimes(int streams) {
    return Long.toString(Math.max(1, Math.min(Integer.MAX_VALUE, 4L * streams)));
  }
}
