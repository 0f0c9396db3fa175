package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SettingsTest {

  private static final Map<String, String> MEANT_OPEN = Map.of("allow-any-caller", "true");
  private static final String ROUTES = "backends: [{name: gpu, url: http://gpu/v1}]\n";

  @TempDir private Path folder;

  @Test
  void defaultsAreThoseOfTheList() {
    GatewayConfig config = GatewayConfig.defaults();
    assertEquals(
        new ListenerConfig(
            new HostPort("::", 50051),
            null,
            null,
            true,
            new ListenerConfig.KeepAlive(seconds(30), seconds(10), seconds(5), true),
            new ListenerConfig.Connection(
                minutes(10), minutes(10), minutes(60), 1000, 4000, seconds(10)),
            10_000,
            32 << 20,
            16 << 10,
            64 << 10),
        config.listener());
    assertEquals(new UpstreamConfig(seconds(2), seconds(2), 16 << 20, 4 << 20), config.upstream());
    assertEquals(
        RoutingConfig.only(
            new BackendUrl("http://localhost:8000/v1", false, "localhost", 8000, null, "/v1"),
            null,
            BackendTls.DEFAULT,
            new RoutingConfig.Initial(null, false, 256)),
        config.routing());
    assertEquals(new CallConfig(minutes(5), seconds(60), minutes(10), seconds(30)), config.call());
    assertEquals(new AdmissionConfig(256, 256, true, 1, 256, null), config.admission());
    assertEquals(
        new HealthConfig(seconds(5), seconds(1), 3, seconds(2), seconds(60)), config.health());
    assertEquals(new DrainConfig(seconds(5), seconds(30)), config.drain());
    assertEquals(new ReloadConfig(seconds(5)), config.reload());
    assertEquals(new AccessConfig(null, false), config.access());
    assertEquals(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.INFO), config.log());
  }

  @Test
  void everyKeyReachesItsRecordFromFlags() throws IOException {
    assertEquals(allChanged(), Settings.read(changes(), Map.of()).config());
  }

  @Test
  void everyKeyReachesItsRecordFromTheEnvironment() throws IOException {
    Map<String, String> changes = changes();
    Map<String, String> environment =
        Settings.all().stream()
            .collect(Collectors.toMap(Setting::variable, setting -> changes.get(setting.key())));
    assertEquals(allChanged(), Settings.read(Map.of(), environment).config());
  }

  @Test
  void everyKeyReachesItsRecordFromAFileWithDottedKeys() throws IOException {
    String yaml =
        changes().entrySet().stream()
            .map(change -> change.getKey() + ": \"" + change.getValue() + "\"\n")
            .collect(Collectors.joining());
    assertEquals(allChanged(), read(yaml).config());
  }

  @Test
  void everyKeyReachesItsRecordFromAFileWithNestedKeys() throws IOException {
    Map<String, StringBuilder> maps = new LinkedHashMap<>();
    changes()
        .forEach(
            (key, text) -> {
              int dot = key.indexOf('.');
              String indent = dot < 0 ? "" : "  ";
              maps.computeIfAbsent(
                      dot < 0 ? "" : key.substring(0, dot) + ":\n", map -> new StringBuilder(map))
                  .append(indent + key.substring(dot + 1) + ": \"" + text + "\"\n");
            });
    assertEquals(allChanged(), read(String.join("", maps.values())).config());
  }

  @Test
  void flagWinsOverEnvironmentOverFileOverDefault() throws IOException {
    String yaml = "drain: {pause: 1s, grace: 1s}\ngap-timeout: 1s\n";
    Map<String, String> environment =
        Map.of("GATEWAY_DRAIN_PAUSE", "2s", "GATEWAY_DRAIN_GRACE", "2s");
    Settings.Loaded loaded =
        Settings.read(Map.of("config", file(yaml), "drain.pause", "3s"), environment);
    assertEquals(new DrainConfig(seconds(3), seconds(2)), loaded.config().drain());
    assertEquals(seconds(1), loaded.config().call().gapTimeout());
    Map<String, String> sources =
        loaded.inForce().stream()
            .collect(Collectors.toMap(Settings.InForce::key, value -> value.source().text()));
    assertEquals("flag --drain-pause", sources.get("drain.pause"));
    assertEquals("environment GATEWAY_DRAIN_GRACE", sources.get("drain.grace"));
    assertEquals("file " + folder.resolve("gateway.yaml") + ", line 2", sources.get("gap-timeout"));
    assertEquals("default", sources.get("max-call-time"));
  }

  @Test
  void presetsAreWeakerThanTheFile() throws IOException {
    Map<String, String> presets = Map.of("drain.pause", "0s", "drain.grace", "0s");
    Settings.Loaded loaded =
        Settings.read(Map.of("config", file("drain.pause: 1s")), Map.of(), presets, List.of());
    assertEquals(new DrainConfig(seconds(1), Duration.ZERO), loaded.config().drain());
  }

  @Test
  void environmentCanNameTheFile() throws IOException {
    String file = file("drain.pause: 7s");
    assertEquals(
        seconds(7),
        Settings.read(Map.of(), Map.of("GATEWAY_CONFIG", file)).config().drain().pause());
  }

  @Test
  void someDefaultsFollowOtherSettings() {
    ListenerConfig.Connection connection =
        Settings.read(Map.of("max-call-time", "90s", "connection.max-streams", "10"), Map.of())
            .config()
            .listener()
            .connection();
    assertEquals(seconds(90), connection.maxAgeGrace());
    assertEquals(40, connection.maxResets());
  }

  @Test
  void emptyVariableCountsAsNotSet() {
    assertNull(
        Settings.read(Map.of(), Map.of("GATEWAY_MODEL", "")).config().routing().defaultModel());
  }

  @Test
  void unknownVariablesAreWarnedAboutWithTheNearestName() {
    List<String> warnings =
        Settings.read(MEANT_OPEN, Map.of("GATEWAY_DRAIN_PUASE", "5s", "HOME", "/")).warnings();
    assertEquals(
        List.of(
            "environment variable GATEWAY_DRAIN_PUASE sets nothing; did you mean"
                + " GATEWAY_DRAIN_PAUSE?"),
        warnings);
  }

  @Test
  void serviceLinksOfKubernetesAreIgnored() {
    Map<String, String> links =
        Map.of(
            "GATEWAY_PORT", "tcp://10.0.0.1:50051",
            "GATEWAY_SERVICE_HOST", "10.0.0.1",
            "GATEWAY_SERVICE_PORT", "50051",
            "GATEWAY_SERVICE_PORT_GRPC", "50051",
            "GATEWAY_PORT_50051_TCP", "tcp://10.0.0.1:50051",
            "GATEWAY_PORT_50051_TCP_ADDR", "10.0.0.1",
            "GATEWAY_HEALTH_SERVICE_HOST", "10.0.0.2",
            "GATEWAY_HEALTH_PORT", "tcp://10.0.0.2:9000");
    assertEquals(List.of(), Settings.read(MEANT_OPEN, links).warnings());
  }

  @Test
  void backendWithoutPathIsWarnedAbout() {
    List<String> warnings =
        Settings.read(Map.of("backend", "http://localhost:8000", "listen", "127.0.0.1:1"), Map.of())
            .warnings();
    assertEquals(1, warnings.size());
    assertTrue(warnings.get(0).contains("/v1"), warnings.get(0));
  }

  @Test
  void flagsAndVariablesFollowFromKeysWithoutCollisions() {
    assertEquals(List.of(), repeated(Setting::key));
    assertEquals(List.of(), repeated(Setting::flag));
    assertEquals(List.of(), repeated(Setting::variable));
  }

  private static List<String> repeated(Function<Setting<?>, String> name) {
    return Settings.all().stream()
        .collect(Collectors.groupingBy(name, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(entry -> entry.getValue() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  private Settings.Loaded read(String yaml) throws IOException {
    return Settings.read(Map.of("config", file(yaml)), Map.of());
  }

  @Test
  void flatSettingsAreOneBackend() throws IOException {
    String key = written("key", "s3cret\n");
    RoutingConfig routing =
        Settings.read(
                Map.of("backend", "https://vllm/openai/v1", "api-key-file", key, "model", "m"),
                Map.of())
            .config()
            .routing();
    assertEquals(
        RoutingConfig.only(
            BackendUrl.parse("https://vllm/openai/v1"),
            folder.resolve("key"),
            BackendTls.DEFAULT,
            new RoutingConfig.Initial("m", false, 256)),
        routing);
  }

  @Test
  void flatBackendBesideARoutingFileIsWarnedAbout() throws IOException {
    Map<String, String> both =
        Map.of(
            "backend",
            "http://a/v1",
            "routing.file",
            written("routes", ROUTES),
            "allow-any-caller",
            "true");
    List<String> warnings = Settings.read(both, Map.of()).warnings();
    assertEquals(1, warnings.size());
    assertTrue(warnings.get(0).startsWith("backend: has no effect"), warnings.get(0));
  }

  private String file(String yaml) throws IOException {
    return Files.writeString(folder.resolve("gateway.yaml"), yaml).toString();
  }

  /** Every key with a value that is not its default. */
  private Map<String, String> changes() throws IOException {
    Map<String, String> changes = new LinkedHashMap<>();
    changes.put("listen", "127.0.0.1:1");
    changes.put("health-listen", "[::1]:2");
    changes.put("reflection.enabled", "false");
    changes.put("backend", "https://vllm/openai/v1");
    changes.put("model", "m");
    changes.put("api-key-file", written("key", "s3cret\n"));
    changes.put("routing.file", written("routes", ROUTES));
    changes.put("upstream.idle", "3s");
    changes.put("upstream.lenient-finish", "true");
    changes.put("admission.running", "4");
    changes.put("admission.waiting", "5");
    changes.put("connect-timeout", "6s");
    changes.put("first-token-timeout", "7s");
    changes.put("gap-timeout", "8s");
    changes.put("max-call-time", "9s");
    changes.put("slow-caller-stall", "10s");
    changes.put("health.interval", "11s");
    changes.put("admission.adaptive", "false");
    changes.put("admission.min", "2");
    changes.put("admission.max", "6");
    changes.put("admission.longest-wait", "32s");
    changes.put("health.down-interval", "12s");
    changes.put("health.failures", "13");
    changes.put("health.timeout", "14s");
    changes.put("stall-watchdog", "33s");
    changes.put("reload.interval", "34s");
    changes.put("drain.pause", "15s");
    changes.put("drain.grace", "16s");
    changes.put("keep-alive.time", "17s");
    changes.put("keep-alive.timeout", "18s");
    changes.put("keep-alive.permit-time", "19s");
    changes.put("keep-alive.permit-without-calls", "false");
    changes.put("connection.max-age", "20s");
    changes.put("connection.max-age-grace", "21s");
    changes.put("connection.max-idle", "22s");
    changes.put("connection.max-streams", "23");
    changes.put("connection.max-resets", "24");
    changes.put("connection.handshake-timeout", "25s");
    changes.put("limits.connections", "26");
    changes.put("limits.max-request-bytes", "27MiB");
    changes.put("limits.metadata-soft", "28KiB");
    changes.put("limits.metadata-hard", "29KiB");
    changes.put("limits.max-response-bytes", "30MiB");
    changes.put("limits.max-event-bytes", "31MiB");
    changes.put("reload.interval", "32s");
    changes.put("callers.file", written("callers", "callers: [{name: a, subjects: [CN=a]}]"));
    changes.put("allow-any-caller", "true");
    changes.put("upstream.tls.ca", written("up-ca", "-----BEGIN CERTIFICATE-----\n"));
    changes.put("upstream.tls.cert", written("up-cert", "-----BEGIN CERTIFICATE-----\n"));
    changes.put("upstream.tls.key", written("up-key", "-----BEGIN PRIVATE KEY-----\n"));
    changes.put("upstream.tls.server-name", "gpu");
    changes.put("tls.cert", written("cert", "-----BEGIN CERTIFICATE-----\n"));
    changes.put("tls.key", written("tls-key", "-----BEGIN PRIVATE KEY-----\n"));
    changes.put("tls.client-ca", written("ca", "-----BEGIN CERTIFICATE-----\n"));
    changes.put("metrics-listen", "127.0.0.1:34");
    changes.put("admin-listen", "[::1]:35");
    changes.put("load-reports", "false");
    changes.put("log.format", "json");
    changes.put("log.level", "debug");
    assertEquals(Settings.keys().size(), changes.size());
    return changes;
  }

  private GatewayConfig allChanged() {
    return new GatewayConfig(
        new ListenerConfig(
            new HostPort("127.0.0.1", 1),
            new HostPort("::1", 2),
            new TlsConfig(folder.resolve("cert"), folder.resolve("tls-key"), folder.resolve("ca")),
            false,
            new ListenerConfig.KeepAlive(seconds(17), seconds(18), seconds(19), false),
            new ListenerConfig.Connection(
                seconds(20), seconds(21), seconds(22), 23, 24, seconds(25)),
            26,
            27 << 20,
            28 << 10,
            29 << 10),
        new AccessConfig(folder.resolve("callers"), true),
        new RoutingConfig(
            folder.resolve("routes"),
            List.of(
                new BackendConfig(
                    "gpu",
                    BackendUrl.parse("http://gpu/v1"),
                    null,
                    BackendTls.DEFAULT,
                    true,
                    1,
                    4,
                    false)),
            List.of(),
            "m",
            new RoutingConfig.Initial("m", true, 4)),
        new UpstreamConfig(seconds(6), seconds(3), 31 << 20, 30 << 20),
        new CallConfig(seconds(7), seconds(8), seconds(9), seconds(10)),
        new AdmissionConfig(4, 5, false, 2, 6, seconds(32)),
        new HealthConfig(seconds(11), seconds(12), 13, seconds(14), seconds(33)),
        new DrainConfig(seconds(15), seconds(16)),
        new ReloadConfig(seconds(32)),
        new TelemetryConfig(
            new TelemetryConfig.Port("metrics-listen", new HostPort("127.0.0.1", 34), true),
            new TelemetryConfig.Port("admin-listen", new HostPort("::1", 35), true),
            false),
        new LogConfig(LogConfig.Format.JSON, LogConfig.Level.DEBUG));
  }

  private String written(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static Duration minutes(int minutes) {
    return Duration.ofMinutes(minutes);
  }
}
