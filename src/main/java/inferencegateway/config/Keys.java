package inferencegateway.config;

import static inferencegateway.config.Format.ADDRESS;
import static inferencegateway.config.Format.ADDRESS_OR_OFF;
import static inferencegateway.config.Format.DURATION;
import static inferencegateway.config.Format.FILE;
import static inferencegateway.config.Format.HOST;
import static inferencegateway.config.Format.NAME;
import static inferencegateway.config.Format.NUMBER;
import static inferencegateway.config.Format.SIZE;
import static inferencegateway.config.Format.SWITCH;
import static inferencegateway.config.Format.URL;

import inferencegateway.config.Setting.Group;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The closed list of settings. Flags, variables, file, help and README's table come from it. */
final class Keys {

  /** Filled by the rows below, in their order; must stand above them. */
  private static final List<Setting<?>> ROWS = new ArrayList<>();

  static final Setting<HostPort> LISTEN =
      row(
          Group.SERVING,
          "listen",
          ADDRESS,
          "[::]:50051",
          "Where gRPC calls are taken; `[::]` is every address, also of IPv4");
  static final Setting<HostPort> HEALTH_LISTEN =
      row(
          Group.SERVING,
          "health-listen",
          ADDRESS,
          "A second, plaintext port that answers health checks only");
  static final Setting<Boolean> REFLECTION =
      row(
          Group.SERVING,
          "reflection.enabled",
          SWITCH,
          "true",
          "Whether callers may ask which methods there are, as grpcurl does");
  static final Setting<Optional<HostPort>> METRICS_LISTEN =
      row(
          Group.SERVING,
          "metrics-listen",
          ADDRESS_OR_OFF,
          "127.0.0.1:9464",
          "Where Prometheus reads metrics, `/metrics`, plaintext; `off` for nowhere");
  static final Setting<Optional<HostPort>> ADMIN_LISTEN =
      row(
          Group.SERVING,
          "admin-listen",
          ADDRESS_OR_OFF,
          "127.0.0.1:9465",
          "Where `inference-gateway status` asks, plaintext and without credentials: an address of"
              + " this host; `off` for nowhere");
  static final Setting<Boolean> LOAD_REPORTS =
      row(
          Group.SERVING,
          "load-reports",
          SWITCH,
          "true",
          "Whether clients are told of the load (ORCA), with each answer and in a stream of its own;"
              + " gRPC's `weighted_round_robin` and Envoy balance by it");
  static final Setting<Duration> RELOAD_INTERVAL =
      row(
          Group.SERVING,
          "reload.interval",
          DURATION,
          "5s",
          "How often keys, certificates, callers and routes are looked at for changes; 0s: on SIGHUP"
              + " only");

  static final Setting<Path> CALLERS_FILE =
      row(
          Group.ACCESS,
          "callers.file",
          FILE,
          "A YAML file of those who may call, and what each may do; nobody else gets in");
  static final Setting<Boolean> ALLOW_ANY_CALLER =
      row(
          Group.ACCESS,
          "allow-any-caller",
          SWITCH,
          "false",
          "Says that anybody who reaches the port may call, so that the start warns no more");

  static final Setting<BackendUrl> BACKEND =
      row(
          Group.BACKEND,
          "backend",
          URL,
          "http://localhost:8000/v1",
          "The OpenAI-compatible server: `http://`, `https://` or `unix:`, as `unix:/run/vllm.sock`");
  static final Setting<String> MODEL =
      row(
          Group.BACKEND,
          "model",
          NAME,
          "The model of calls that name none; without it, the only one that the backend serves");
  static final Setting<Path> API_KEY_FILE =
      row(
          Group.BACKEND,
          "api-key-file",
          FILE,
          "A file that holds the backend's API key, one line; sent as a bearer token");
  static final Setting<Path> UPSTREAM_CA =
      row(
          Group.BACKEND,
          "upstream.tls.ca",
          FILE,
          "The authorities, PEM, that an `https` backend is trusted by; without it, Java's");
  static final Setting<Path> UPSTREAM_CERT =
      row(
          Group.BACKEND,
          "upstream.tls.cert",
          FILE,
          "The certificate chain, PEM, that an `https` backend is shown, with `upstream.tls.key`");
  static final Setting<Path> UPSTREAM_KEY =
      row(Group.BACKEND, "upstream.tls.key", FILE, "Its private key, PEM (PKCS#8, not encrypted)");
  static final Setting<String> UPSTREAM_SERVER_NAME =
      row(
          Group.BACKEND,
          "upstream.tls.server-name",
          HOST,
          "The name in the certificate of an `https` backend, where it is not the URL's");
  static final Setting<Path> ROUTING_FILE =
      row(
          Group.BACKEND,
          "routing.file",
          FILE,
          "A YAML file with several backends and what they serve, in place of `backend`; read again"
              + " when it changes");
  static final Setting<Duration> UPSTREAM_IDLE =
      row(
          Group.BACKEND,
          "upstream.idle",
          DURATION,
          "2s",
          "How long an unused connection to the backend is kept; stay well below the backend's own"
              + " limit (uvicorn: 5 s)");
  static final Setting<Boolean> LENIENT_FINISH =
      row(
          Group.BACKEND,
          "upstream.lenient-finish",
          SWITCH,
          "false",
          "Whether an answer that ends without a finish_reason counts as whole; for backends that"
              + " never send one");
  static final Setting<Integer> RUNNING =
      row(
          Group.BACKEND,
          "admission.running",
          NUMBER,
          "256",
          "Calls that the backend is given at once, to begin with");
  static final Setting<Integer> WAITING =
      row(
          Group.BACKEND,
          "admission.waiting",
          NUMBER,
          "256",
          "Calls that wait behind them; more are refused at once");
  static final Setting<Boolean> ADAPTIVE =
      row(
          Group.BACKEND,
          "admission.adaptive",
          SWITCH,
          "true",
          "Whether the calls at once follow the backend: its queue and KV cache where it tells of"
              + " them, else the time to first token");
  static final Setting<Integer> MIN_RUNNING =
      row(
          Group.BACKEND,
          "admission.min",
          NUMBER,
          "1",
          "The least that the calls at once may fall to");
  static final Setting<Integer> MAX_RUNNING =
      follows(
          Group.BACKEND,
          "admission.max",
          NUMBER,
          "256",
          "admission.running",
          "The most that they may grow to");
  static final Setting<Duration> LONGEST_WAIT =
      row(
          Group.BACKEND,
          "admission.longest-wait",
          DURATION,
          "Calls that would wait longer are refused at once; without it, 15 % of what calls take");

  static final Setting<Duration> CONNECT_TIMEOUT =
      row(
          Group.TIME,
          "connect-timeout",
          DURATION,
          "2s",
          "Connecting to the backend, all addresses of its name together");
  static final Setting<Duration> FIRST_TOKEN_TIMEOUT =
      row(
          Group.TIME,
          "first-token-timeout",
          DURATION,
          "5m",
          "From sending a streamed request to its first token");
  static final Setting<Duration> GAP_TIMEOUT =
      row(Group.TIME, "gap-timeout", DURATION, "60s", "Between two tokens of a streamed answer");
  static final Setting<Duration> MAX_CALL_TIME =
      row(
          Group.TIME,
          "max-call-time",
          DURATION,
          "10m",
          "The whole call; callers' longer deadlines are cut to it");
  static final Setting<Duration> SLOW_CALLER_STALL =
      row(
          Group.TIME,
          "slow-caller-stall",
          DURATION,
          "30s",
          "A caller that takes nothing for that long is given up");

  static final Setting<Duration> HEALTH_INTERVAL =
      row(Group.HEALTH, "health.interval", DURATION, "5s", "Between two probes while it is up");
  static final Setting<Duration> HEALTH_DOWN_INTERVAL =
      row(
          Group.HEALTH,
          "health.down-interval",
          DURATION,
          "1s",
          "Between two probes while it is down");
  static final Setting<Integer> HEALTH_FAILURES =
      row(
          Group.HEALTH,
          "health.failures",
          NUMBER,
          "3",
          "Failed probes in a row that mean that it is down");
  static final Setting<Duration> HEALTH_TIMEOUT =
      row(Group.HEALTH, "health.timeout", DURATION, "2s", "Longest wait for one probe's answer");

  static final Setting<Duration> STALL_WATCHDOG =
      row(
          Group.HEALTH,
          "stall-watchdog",
          DURATION,
          "60s",
          "A backend with streams waiting and no token on any of them for that long is taken out"
              + " until a token flows");

  static final Setting<Duration> DRAIN_PAUSE =
      row(
          Group.DRAIN,
          "drain.pause",
          DURATION,
          "5s",
          "After SIGTERM: not ready any more, but still serving, so that load balancers can look"
              + " away");
  static final Setting<Duration> DRAIN_GRACE =
      row(
          Group.DRAIN,
          "drain.grace",
          DURATION,
          "30s",
          "After the pause: no new calls; running ones may end");

  static final Setting<Duration> KEEP_ALIVE_TIME =
      row(
          Group.KEEP_ALIVE,
          "keep-alive.time",
          DURATION,
          "30s",
          "Silence on a caller's connection after which it is pinged");
  static final Setting<Duration> KEEP_ALIVE_TIMEOUT =
      row(
          Group.KEEP_ALIVE,
          "keep-alive.timeout",
          DURATION,
          "10s",
          "Longest wait for the ping's answer; then the connection is closed and its calls stop");
  static final Setting<Duration> PERMIT_TIME =
      row(
          Group.KEEP_ALIVE,
          "keep-alive.permit-time",
          DURATION,
          "5s",
          "Callers that ping more often are sent away");
  static final Setting<Boolean> PERMIT_WITHOUT_CALLS =
      row(
          Group.KEEP_ALIVE,
          "keep-alive.permit-without-calls",
          SWITCH,
          "true",
          "Whether callers may ping while they have no call running");

  static final Setting<Duration> MAX_AGE =
      row(
          Group.CONNECTION,
          "connection.max-age",
          DURATION,
          "10m",
          "Age at which a caller is asked to connect anew, so that load spreads; ten percent of"
              + " jitter is added");
  static final Setting<Duration> MAX_AGE_GRACE =
      follows(
          Group.CONNECTION,
          "connection.max-age-grace",
          DURATION,
          "10m",
          "max-call-time",
          "How long calls on an old connection may still run");
  static final Setting<Duration> MAX_IDLE =
      row(
          Group.CONNECTION,
          "connection.max-idle",
          DURATION,
          "60m",
          "A connection without calls is closed after that time");
  static final Setting<Integer> MAX_STREAMS =
      row(
          Group.CONNECTION,
          "connection.max-streams",
          NUMBER,
          "1000",
          "Calls at once on one connection; more are refused (REFUSED_STREAM)");
  static final Setting<Integer> MAX_RESETS =
      follows(
          Group.CONNECTION,
          "connection.max-resets",
          NUMBER,
          "4000",
          "4 x connection.max-streams",
          "Cancelled calls taken from one connection in 10 s; more close it");
  static final Setting<Duration> HANDSHAKE_TIMEOUT =
      row(
          Group.CONNECTION,
          "connection.handshake-timeout",
          DURATION,
          "10s",
          "Longest time for TLS and the first bytes of HTTP/2");

  static final Setting<Integer> CONNECTIONS =
      row(
          Group.LIMITS,
          "limits.connections",
          NUMBER,
          "10000",
          "Callers' connections at once; more are closed at once");
  static final Setting<Integer> MAX_REQUEST_BYTES =
      row(Group.LIMITS, "limits.max-request-bytes", SIZE, "32MiB", "Largest request message");
  static final Setting<Integer> METADATA_SOFT =
      row(
          Group.LIMITS,
          "limits.metadata-soft",
          SIZE,
          "16KiB",
          "Metadata of a call above that size may be refused");
  static final Setting<Integer> METADATA_HARD =
      row(
          Group.LIMITS,
          "limits.metadata-hard",
          SIZE,
          "64KiB",
          "Metadata of a call above that size is always refused");
  static final Setting<Integer> MAX_RESPONSE_BYTES =
      row(
          Group.LIMITS,
          "limits.max-response-bytes",
          SIZE,
          "4MiB",
          "Largest answer of a unary call; gRPC clients take 4 MiB unless told otherwise");
  static final Setting<Integer> MAX_EVENT_BYTES =
      row(
          Group.LIMITS,
          "limits.max-event-bytes",
          SIZE,
          "16MiB",
          "Largest event of a streamed answer of the backend, and its largest whole answer");

  static final Setting<Path> TLS_CERT =
      row(Group.TLS, "tls.cert", FILE, "The certificate chain, PEM; turns TLS on, with `tls.key`");
  static final Setting<Path> TLS_KEY =
      row(Group.TLS, "tls.key", FILE, "Its private key, PEM (PKCS#8, not encrypted)");
  static final Setting<Path> TLS_CLIENT_CA =
      row(
          Group.TLS,
          "tls.client-ca",
          FILE,
          "The authorities, PEM, whose clients are let in; others are refused");

  static final Setting<LogConfig.Format> LOG_FORMAT =
      row(Group.LOG, "log.format", Format.LOG_FORMAT, "text", "How lines are written: text, json");
  static final Setting<LogConfig.Level> LOG_LEVEL =
      row(
          Group.LOG,
          "log.level",
          Format.LOG_LEVEL,
          "info",
          "The least that is written: error, warn, info, debug");

  static final List<Setting<?>> ALL = List.copyOf(ROWS);

  private Keys() {}

  private static <T> Setting<T> row(
      Group group, String key, Format<T> format, String initial, String description) {
    return add(new Setting<>(group, key, format, initial, initial, description));
  }

  private static <T> Setting<T> row(Group group, String key, Format<T> format, String description) {
    return add(new Setting<>(group, key, format, null, "none", description));
  }

  /**
   * A setting whose default follows from another one; {@link Assembly} works it out.
   *
   * @param initial what follows from the other one's default
   */
  private static <T> Setting<T> follows(
      Group group,
      String key,
      Format<T> format,
      String initial,
      String defaultText,
      String description) {
    return add(new Setting<>(group, key, format, initial, defaultText, description));
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ROWS.add(setting);
    return setting;
  }
}
