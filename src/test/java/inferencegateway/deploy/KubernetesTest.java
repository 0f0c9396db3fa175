package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import inferencegateway.config.DrainConfig;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import inferencegateway.health.Readiness;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.testing.MetricsTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The Kubernetes files name nothing that the gateway does not have. What needs tools is in
 * deploy/kubernetes/verify.sh.
 */
final class KubernetesTest {

  private static final Path HOME = Path.of("deploy/kubernetes");
  private static final Path BASE = HOME.resolve("base/deployment.yaml");
  private static final Path SIDECAR = HOME.resolve("sidecar/deployment.yaml");

  /** Until the last statuses are out (2 s), connections are closed (1 s) and the JVM has ended. */
  private static final long ENDING = 5;

  /** For vLLM after the last call. */
  private static final long VLLM_ENDING = 20;

  private static final Pattern VARIABLE = Pattern.compile("\\bGATEWAY_[A-Z_]+\\b");
  private static final Pattern OWN_METRIC = Pattern.compile("\\binference_gateway_\\w+");

  @Test
  void settingsInFilesAndVariablesAreThere() {
    for (String folder : List.of("base", "sidecar")) {
      YamlFiles.read(HOME.resolve(folder).resolve("gateway.yaml"))
          .fieldNames()
          .forEachRemaining(key -> assertTrue(keys().contains(key), folder + ": " + key));
    }
    Set<String> variables = Settings.all().stream().map(Setting::variable).collect(toSet());
    Set<String> used = new HashSet<>();
    for (Path file : YamlFiles.files(HOME, ".yaml")) {
      VARIABLE
          .matcher(YamlFiles.text(file))
          .results()
          .map(MatchResult::group)
          // GATEWAY_PORT is told of as one that is none.
          .filter(name -> !name.equals("GATEWAY_PORT") && !name.equals("GATEWAY_"))
          .forEach(used::add);
    }
    assertTrue(used.size() >= 5, used::toString);
    used.removeAll(variables);
    assertEquals(Set.of(), used);
  }

  @Test
  void settingsNamedInCommentsAreThere() {
    Pattern dotted =
        Pattern.compile("\\b(?:drain|upstream|connection|reload|limits|routing|log)\\.[a-z-]+\\b");
    for (Path file : YamlFiles.files(HOME, ".yaml")) {
      dotted
          .matcher(YamlFiles.text(file))
          .results()
          .map(MatchResult::group)
          .forEach(key -> assertTrue(keys().contains(key), file + ": " + key));
    }
  }

  @Test
  void sidecarsGatewayIsSetAsTheOtherOneBesideItsBackend() {
    JsonNode own = YamlFiles.read(HOME.resolve("base/gateway.yaml"));
    JsonNode beside = YamlFiles.read(HOME.resolve("sidecar/gateway.yaml"));
    for (String key :
        List.of("health-listen", "metrics-listen", "log.format", "allow-any-caller")) {
      assertEquals(own.get(key), beside.get(key), key);
    }
  }

  @Test
  void graceIsWhatTheDefaultsAddUpTo() {
    DrainConfig drain = GatewayConfig.defaults().drain();
    long stop = drain.pause().toSeconds() + drain.grace().toSeconds() + ENDING;
    JsonNode own = pod(BASE);
    assertTrue(own.at("/containers/0/lifecycle").isMissingNode(), "a preStop would be added");
    assertEquals(stop, own.get("terminationGracePeriodSeconds").asLong());
    assertEquals(stop + VLLM_ENDING, pod(SIDECAR).get("terminationGracePeriodSeconds").asLong());
    String arithmetic = YamlFiles.text(BASE);
    assertTrue(arithmetic.contains("+ %d s  drain.pause".formatted(drain.pause().toSeconds())));
    assertTrue(arithmetic.contains("+%d s  drain.grace".formatted(drain.grace().toSeconds())));
  }

  @Test
  void longAnswersHaveAsLongAsACallMayTake() {
    JsonNode patch = YamlFiles.read(HOME.resolve("components/long-answers/kustomization.yaml"));
    String text = patch.at("/patches/0/patch").asText();
    long longest = GatewayConfig.defaults().call().maxCallTime().toSeconds();
    assertTrue(text.contains("GATEWAY_DRAIN_GRACE, value: " + longest / 60 + "m"), text);
    long grace = GatewayConfig.defaults().drain().pause().toSeconds() + longest + ENDING;
    assertTrue(text.contains("PeriodSeconds: " + (grace + VLLM_ENDING)), text);
  }

  @Test
  void vllmIsTheSidecarSoThatItOutlivesTheGateway() {
    JsonNode vllm = pod(SIDECAR).at("/initContainers/0");
    assertEquals("vllm", vllm.get("name").asText());
    assertEquals("Always", vllm.get("restartPolicy").asText());
    assertFalse(vllm.at("/startupProbe").isMissingNode(), "the gateway starts when it is good");
    assertEquals("gateway", pod(SIDECAR).at("/containers/0/name").asText());
  }

  @Test
  void probesAskForHealthServicesThatThereAre() {
    JsonNode container = pod(BASE).at("/containers/0");
    Set<String> known = new HashSet<>(Readiness.READINESS_NAMES);
    known.add(Readiness.LIVENESS);
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      assertTrue(known.contains(container.at("/" + probe + "/grpc/service").asText()), probe);
    }
    assertEquals(Readiness.LIVENESS, container.at("/livenessProbe/grpc/service").asText());
    assertEquals(Readiness.LIVENESS, container.at("/startupProbe/grpc/service").asText());
    assertTrue(
        Readiness.READINESS_NAMES.contains(container.at("/readinessProbe/grpc/service").asText()));
  }

  @Test
  void pagesTellOfTheProbesAndComponentsAsTheyAre() {
    JsonNode container = pod(BASE).at("/containers/0");
    JsonNode vllm = pod(SIDECAR).at("/initContainers/0");
    for (String page : List.of("docs/kubernetes.md", "docs/kubernetes.zh-CN.md")) {
      String text = YamlFiles.text(Path.of(page));
      for (JsonNode probe :
          List.of(
              container.get("startupProbe"),
              container.get("readinessProbe"),
              container.get("livenessProbe"),
              vllm.get("startupProbe"))) {
        String tries =
            "%s x %s s".formatted(probe.get("failureThreshold"), probe.get("periodSeconds"));
        assertTrue(text.contains(tries), page + ": " + tries);
      }
      for (Path component : YamlFiles.files(HOME.resolve("components"), "kustomization.yaml")) {
        String name = "`components/" + component.getParent().getFileName() + "`";
        assertTrue(text.contains(name), page + ": " + name);
      }
      for (Path from : List.of(BASE, SIDECAR)) {
        String grace = pod(from).get("terminationGracePeriodSeconds") + " s";
        assertTrue(text.contains(grace), page + ": " + grace);
      }
    }
  }

  @Test
  void portsAreTheGateways() {
    int grpc = GatewayConfig.defaults().listener().listen().port();
    JsonNode settings = YamlFiles.read(HOME.resolve("base/gateway.yaml"));
    assertEquals(grpc, port("grpc"));
    assertTrue(settings.get("health-listen").asText().endsWith(":" + port("health")));
    assertTrue(settings.get("metrics-listen").asText().endsWith(":" + port("metrics")));
    for (String service : List.of("service.yaml", "service-headless.yaml")) {
      assertEquals(
          grpc, YamlFiles.read(HOME.resolve("base/" + service)).at("/spec/ports/0/port").asInt());
    }
    JsonNode route = YamlFiles.read(HOME.resolve("components/grpcroute/grpcroute.yaml"));
    assertEquals(grpc, route.at("/spec/rules/0/backendRefs/0/port").asInt());
  }

  @Test
  void callersFromOutsideReachTheTwoContractsOnly() {
    JsonNode route = YamlFiles.read(HOME.resolve("components/grpcroute/grpcroute.yaml"));
    assertEquals(
        List.of(InferenceServiceGrpc.SERVICE_NAME, LLMServiceGrpc.SERVICE_NAME),
        YamlFiles.items(route.at("/spec/rules/0/matches")).stream()
            .map(match -> match.at("/method/service").asText())
            .toList());
  }

  @Test
  void scalingGoesByMetricsThatThereAre() {
    Set<String> known =
        MetricsTables.english().stream()
            .flatMap(row -> row.seriesNames().stream())
            .collect(toSet());
    // Made by the adapter.
    known.add("inference_gateway_utilization");
    List<String> used = new ArrayList<>();
    for (Path file : YamlFiles.files(HOME.resolve("components"), ".yaml")) {
      OWN_METRIC.matcher(YamlFiles.text(file)).results().map(MatchResult::group).forEach(used::add);
    }
    assertTrue(used.size() > 20);
    used.removeAll(known);
    assertEquals(List.of(), used);
  }

  @Test
  void rulesOfTheOperatorAreTheAlerts() {
    String head = "spec:\n";
    String made = YamlFiles.text(HOME.resolve("components/monitoring/prometheusrule.yaml"));
    String alerts =
        YamlFiles.text(Path.of("deploy/prometheus/alerts.yaml"))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> "  " + line + "\n")
            .collect(Collectors.joining());
    assertEquals(
        alerts,
        made.substring(made.indexOf(head) + head.length()),
        "run deploy/kubernetes/make-rules");
  }

  @Test
  void prometheusNamesTheJobAsTheAlertsDo() {
    JsonNode monitor = YamlFiles.read(HOME.resolve("components/monitoring/servicemonitor.yaml"));
    JsonNode relabeling = monitor.at("/spec/endpoints/0/relabelings/0");
    assertEquals("job", relabeling.get("targetLabel").asText());
    String job = relabeling.get("replacement").asText();
    assertTrue(
        YamlFiles.text(Path.of("deploy/prometheus/alerts.yaml"))
            .contains("up{job=\"" + job + "\"}"));
    assertTrue(
        YamlFiles.text(HOME.resolve("components/autoscaling-keda/scaledobject.yaml"))
            .contains("{job=\"" + job + "\"}"));
  }

  private static int port(String name) {
    return YamlFiles.items(pod(BASE).at("/containers/0/ports")).stream()
        .filter(port -> port.get("name").asText().equals(name))
        .findFirst()
        .orElseThrow()
        .get("containerPort")
        .asInt();
  }

  private static JsonNode pod(Path deployment) {
    return YamlFiles.read(deployment).at("/spec/template/spec");
  }

  private static Set<String> keys() {
    return Settings.all().stream().map(Setting::key).collect(toSet());
  }

  /** One that can be added to. */
  private static <T> java.util.stream.Collector<T, ?, Set<T>> toSet() {
    return Collectors.toCollection(HashSet::new);
  }
}
