package inferencegateway.deploy;

import static inferencegateway.deploy.EnvoyFile.time;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import inferencegateway.config.AdmissionConfig;
import inferencegateway.config.CallConfig;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.ListenerConfig;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import inferencegateway.health.Readiness;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import io.grpc.health.v1.HealthGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Envoy's configuration names nothing that the gateway does not have, and its numbers fit the
 * gateway's defaults. What a real Envoy makes of it is checked by envoy/verify.sh.
 */
final class EnvoyTest {

  private static final List<ServiceDescriptor> CONTRACTS =
      List.of(InferenceServiceGrpc.getServiceDescriptor(), LLMServiceGrpc.getServiceDescriptor());

  /** Of gRPC, HTTP and W3C; all others are ours. */
  private static final Set<String> STANDARD_HEADERS =
      Set.of(
          "content-type",
          "x-grpc-web",
          "x-user-agent",
          "grpc-timeout",
          "authorization",
          "grpc-status",
          "grpc-message",
          "grpc-status-details-bin",
          "grpc-retry-pushback-ms");

  private final EnvoyFile file = EnvoyFile.plain();
  private final GatewayConfig config = GatewayConfig.defaults();
  private final ListenerConfig listener = config.listener();
  private final CallConfig call = config.call();

  @Test
  void routesAreTheMethodsThatThereAre() {
    Set<String> known = new TreeSet<>(contracts().keySet());
    known.add("/" + HealthGrpc.getCheckMethod().getFullMethodName());
    for (String version : List.of("v1", "v1alpha")) {
      known.add("/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo");
    }
    assertEquals(known, file.routes().keySet());
  }

  @Test
  void streamsHaveNoRouteTimeoutAndNoRetries() {
    contracts()
        .forEach(
            (path, type) -> {
              JsonNode route = file.routes().get(path);
              if (type == MethodType.SERVER_STREAMING) {
                assertEquals("0s", route.get("timeout").asText(), path);
                assertFalse(route.has("retry_policy"), path);
              }
            });
    assertFalse(file.virtualHost().has("retry_policy"));
    assertFalse(file.connections().has("request_timeout"));
  }

  @Test
  void callsHaveLongerThanTheGatewayGivesThem() {
    for (String path : contracts().keySet()) {
      JsonNode route = file.routes().get(path);
      if (path.endsWith("/Health")) {
        continue;
      }
      for (String field : List.of("max_stream_duration", "grpc_timeout_header_max")) {
        longer(call.maxCallTime(), time(route.at("/max_stream_duration/" + field)), path);
      }
      longer(call.firstTokenTimeout(), time(route.get("idle_timeout")), path);
      longer(call.maxCallTime(), time(route.get("idle_timeout")), path);
      assertFalse(route.at("/retry_policy").has("per_try_timeout"), path);
    }
  }

  @Test
  void unaryCallsAreRepeatedByTheGatewaysWordOnly() {
    List<JsonNode> policies = file.connections().findValues("retry_policy");
    assertEquals(2, policies.size());
    for (JsonNode policy : policies) {
      assertEquals(
          "connect-failure,refused-stream,retriable-headers", policy.get("retry_on").asText());
      assertEquals(1, policy.get("retriable_headers").size());
      assertEquals("safe", policy.at("/retriable_headers/0/string_match/exact").asText());
      ours(policy.at("/retriable_headers/0/name").asText());
    }
  }

  @Test
  void metricsAreOfMethodsThatThereAre() {
    Set<String> named = new TreeSet<>();
    for (JsonNode service :
        file.filter("grpc_stats").at("/individual_method_stats_allowlist/services")) {
      service
          .get("method_names")
          .forEach(method -> named.add("/" + service.get("name").asText() + "/" + method.asText()));
    }
    assertEquals(contracts().keySet(), named);
  }

  @Test
  void headersAreTheGateways() {
    JsonNode cors = file.virtualHost().get("typed_per_filter_config").elements().next();
    for (String field : List.of("allow_headers", "expose_headers")) {
      List<String> headers = List.of(cors.get(field).asText().split(","));
      headers.stream().filter(header -> !STANDARD_HEADERS.contains(header)).forEach(this::ours);
    }
    file.connections()
        .get("local_reply_config")
        .findValuesAsText("key")
        .forEach(key -> assertTrue(STANDARD_HEADERS.contains(key) || isOurs(key), key));
  }

  @Test
  void gatewayIsCalledWhereItListensAndAskedWhatItAnswers() {
    JsonNode address = file.cluster().at("/load_assignment/endpoints/0/lb_endpoints/0");
    assertEquals(listener.listen().port(), address.findValue("port_value").asInt());
    JsonNode check = file.cluster().at("/health_checks/0");
    String service = check.at("/grpc_health_check/service_name").asText();
    assertTrue(Readiness.READINESS_NAMES.contains(service), service);
    long misses = check.get("unhealthy_threshold").asLong();
    Duration out =
        time(check.get("interval")).multipliedBy(misses).plus(time(check.get("timeout")));
    assertTrue(config.drain().pause().compareTo(out) >= 0, "drain.pause and " + out);
  }

  @Test
  void pingsAreAllowed() {
    JsonNode pings = file.upstream().findValue("connection_keepalive");
    longer(listener.keepAlive().permitTime(), time(pings.get("interval")), "pings");
    assertTrue(listener.keepAlive().permitWithoutCalls());
  }

  @Test
  void connectionsEndOnEnvoysSideFirst() {
    JsonNode common = file.upstream().get("common_http_protocol_options");
    longer(time(common.get("idle_timeout")), listener.connection().maxIdle(), "idle");
  }

  @Test
  void numbersThatFollowTheGatewaysDo() {
    int streams = listener.connection().maxStreams();
    assertEquals(
        List.of(streams, streams),
        file.tree().findValues("max_concurrent_streams").stream().map(JsonNode::asInt).toList());
    assertEquals(
        listener.maxConnections(),
        file.tree().findValue("max_active_downstream_connections").asInt());
    assertEquals(config.upstream().connectTimeout(), time(file.cluster().get("connect_timeout")));
    int headers = file.connections().get("max_request_headers_kb").asInt() * 1024;
    assertTrue(headers < listener.metadataHardBytes() && headers > listener.metadataSoftBytes());
    assertEquals(
        listener.connection().maxAge(),
        time(file.connections().at("/common_http_protocol_options/max_connection_duration")));
  }

  @Test
  void breakerIsAboveWhatTwoGatewaysTake() {
    AdmissionConfig admission = config.admission();
    int room = 2 * (admission.running() + admission.waiting());
    int requests = file.cluster().findValue("max_requests").asInt();
    assertEquals(Math.round(room * 1.2), requests);
    assertTrue(
        YamlFiles.text(EnvoyFile.FILE)
            .contains("= %d calls".formatted(admission.running() + admission.waiting())));
  }

  @Test
  void heapFitsTheContainer() throws Exception {
    String limit = Yaml.read("docker/compose.yaml").at("/services/envoy/mem_limit").asText();
    long bytes = Long.parseLong(limit.replace("m", "")) << 20;
    long heap = file.tree().findValue("max_heap_size_bytes").asLong();
    assertTrue(heap < bytes && heap > bytes / 2, heap + " of " + bytes);
  }

  @Test
  void settingsInCommentsAreThereWithTheValuesThatTheyName() {
    Map<String, Setting<?>> settings = new TreeMap<>();
    Settings.all().forEach(setting -> settings.put(setting.key(), setting));
    Pattern named =
        Pattern.compile(
            "\\b((?:drain|connection|limits|admission|keep-alive|tls|reflection|callers|upstream)"
                + "\\.[a-z-]+)\\b(?:(?: of the gateway)?(?: \\(|, |: | is )([0-9]+ ?[a-zA-Z]*)(?= ?[),;.]))?");
    List<MatchResult> found =
        Stream.of(
                EnvoyFile.FILE,
                Path.of("envoy/other/haproxy.cfg"),
                Path.of("envoy/other/nginx.conf"))
            .flatMap(path -> named.matcher(comments(path)).results())
            .toList();
    assertTrue(found.size() > 20);
    assertTrue(found.stream().filter(each -> each.group(2) != null).count() >= 6);
    for (MatchResult each : found) {
      assertTrue(settings.containsKey(each.group(1)), each.group(1));
      if (each.group(2) != null) {
        String value =
            each.group(2).replaceAll(" min$", "m").replaceAll(" ([sK])", "$1").replace(" ", "");
        assertEquals(settings.get(each.group(1)).defaultText(), value, each.group(1));
      }
    }
    for (String key :
        List.of(
            "first-token-timeout",
            "gap-timeout",
            "max-call-time",
            "connect-timeout",
            "load-reports")) {
      assertTrue(settings.containsKey(key) && comments(EnvoyFile.FILE).contains(key), key);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tls", "mtls", "orca"})
  void variantsAreGoodYamlAndTheirSecretsAreThere(String variant) {
    EnvoyFile made = EnvoyFile.variant(variant);
    assertFalse(made.tree().equals(file.tree()));
    assertEquals(variant.endsWith("tls"), !made.secrets().isEmpty());
    for (String secret : made.secrets()) {
      assertTrue(secret.startsWith("/etc/envoy/secrets/"), secret);
      assertTrue(Files.exists(Path.of("envoy/secrets", Path.of(secret).getFileName().toString())));
    }
  }

  @Test
  void loadIsWeighedOnlyWhereTheGatewayReportsIt() {
    JsonNode policy =
        EnvoyFile.variant("orca")
            .cluster()
            .at("/load_balancing_policy/policies/0/typed_extension_config");
    assertTrue(policy.get("name").asText().endsWith("client_side_weighted_round_robin"));
    assertFalse(policy.at("/typed_config/enable_oob_load_report").asBoolean());
    assertTrue(
        Settings.all().stream()
            .anyMatch(
                each -> each.key().equals("load-reports") && each.defaultText().equals("true")));
  }

  private static Map<String, MethodType> contracts() {
    return CONTRACTS.stream()
        .flatMap(service -> service.getMethods().stream())
        .collect(
            Collectors.toMap(
                method -> "/" + method.getFullMethodName(),
                MethodDescriptor::getType,
                (one, other) -> one,
                TreeMap::new));
  }

  private static void longer(Duration shorter, Duration longer, String what) {
    assertTrue(longer.compareTo(shorter) > 0, what + ": " + longer + " and " + shorter);
  }

  private void ours(String header) {
    assertTrue(isOurs(header), "the gateway knows no header " + header);
  }

  /** Said somewhere in the product, as a whole string. */
  static boolean isOurs(String header) {
    return YamlFiles.files(Path.of("src/main/java"), ".java").stream()
        .anyMatch(source -> YamlFiles.text(source).contains('"' + header + '"'));
  }

  private static String comments(Path path) {
    return YamlFiles.text(path)
        .lines()
        .filter(line -> line.contains("#"))
        .map(line -> line.replaceFirst("^[^#]*# ?", ""))
        .collect(Collectors.joining(" "));
  }
}
