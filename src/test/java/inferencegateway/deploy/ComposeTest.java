package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Settings;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.health.Readiness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** That the compose files, the image, the product and deploy/ say the same. */
final class ComposeTest {

  private final Dockerfile image = Dockerfile.read();
  private final JsonNode services = Yaml.read("docker/compose.yaml").get("services");
  private final JsonNode demo = Yaml.read("docker/compose.demo.yaml").get("services");
  private final JsonNode gateway = services.get("gateway");

  ComposeTest() throws IOException {}

  @Test
  void everyFileThatIsMountedIsThere() {
    for (JsonNode service : services) {
      for (JsonNode volume : service.path("volumes")) {
        String source = volume.asText().split(":")[0];
        assertTrue(!source.startsWith(".") || Files.exists(Path.of("docker", source)), source);
      }
    }
    assertTrue(Files.exists(Path.of("docker", gateway.at("/build/context").asText(), "pom.xml")));
    assertTrue(Files.exists(Path.of(gateway.at("/build/dockerfile").asText())));
  }

  @Test
  void environmentIsAGoodConfigurationWithoutWarnings() {
    Settings.Loaded loaded = Product.settings(environment());
    assertEquals(List.of(), loaded.warnings());
  }

  @Test
  void backendIsTheServiceInTheSameNetwork() {
    assertEquals(
        List.of("http://vllm:8000/v1"),
        config().routing().backends().stream().map(each -> each.url().text()).toList());
    assertTrue(Yaml.words(gateway.get("networks")).containsAll(networks("vllm")));
    assertTrue(Yaml.words(gateway.get("networks")).containsAll(networks("envoy")));
    assertTrue(networks("prometheus").containsAll(Yaml.words(gateway.get("networks"))));
  }

  @Test
  void connectionsAreClosedByTheGatewayAndNotByVllm() {
    int keepAlive = services.at("/vllm/environment/VLLM_HTTP_TIMEOUT_KEEP_ALIVE").asInt();
    Duration idle = config().upstream().idle();
    assertTrue(idle.plusSeconds(5).toSeconds() < keepAlive, idle + " and " + keepAlive + " s");
  }

  @Test
  void drainHasTheTimeThatItNeeds() {
    Duration drain = config().drain().pause().plus(config().drain().grace());
    assertTrue(seconds(gateway.get("stop_grace_period")).compareTo(drain.plusSeconds(5)) >= 0);
  }

  @Test
  void healthCheckIsTheImagesButForWhatItAsks() throws IOException {
    List<String> test = Yaml.words(gateway.at("/healthcheck/test"));
    assertEquals("CMD", test.get(0));
    Product.checkArguments(Product.argumentsOf(test));
    assertTrue(!test.contains("--service") && Readiness.READINESS_NAMES.contains(""));
    List<String> its = image.healthCheck();
    assertEquals(its.subList(0, its.indexOf("health")), test.subList(1, test.indexOf("health")));
    assertEquals(its.get(its.indexOf("--target") + 1), test.get(test.indexOf("--target") + 1));
  }

  @Test
  void demosSimulatorIsStartedWithFlagsThatItHas() {
    List<String> command = Yaml.words(demo.at("/vllm/command"));
    assertEquals("simulate", command.get(0));
    Product.checkArguments(command);
    assertTrue(config().routing().backends().get(0).url().text().contains(":8000"));
    assertEquals("8000", command.get(command.indexOf("--port") + 1));
  }

  @Test
  void prometheusReadsTheGatewayUnderTheNameThatAlertsAndDashboardKnow() throws IOException {
    JsonNode config = Yaml.read("docker/prometheus/prometheus.yml");
    JsonNode job = config.at("/scrape_configs/0");
    assertEquals("inference-gateway", job.get("job_name").asText());
    assertTrue(
        Files.readString(Path.of("deploy/prometheus/alerts.yaml"))
            .contains("job=\"" + job.get("job_name").asText() + "\""));
    JsonNode found = job.at("/dns_sd_configs/0");
    assertEquals("gateway", found.at("/names/0").asText());
    TelemetryConfig.Port metrics = config().telemetry().metrics();
    assertNotNull(metrics);
    assertEquals(metrics.address().port(), found.get("port").asInt());
    for (String file : Yaml.words(config.get("rule_files"))) {
      assertTrue(mounts("prometheus", file), file);
    }
  }

  @Test
  void grafanaShowsTheDashboardFromPrometheus() throws IOException {
    JsonNode source = Yaml.read("docker/grafana/datasources/prometheus.yaml");
    String url = source.at("/datasources/0/url").asText();
    assertEquals("http://prometheus:9090", url);
    assertTrue(networks("grafana").stream().anyMatch(networks("prometheus")::contains));
    String folder =
        Yaml.read("docker/grafana/dashboards/inference-gateway.yaml")
            .at("/providers/0/options/path")
            .asText();
    assertTrue(mounts("grafana", folder), folder);
    String home =
        services.at("/grafana/environment/GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH").asText();
    assertEquals(Path.of(folder), Path.of(home).getParent());
    assertTrue(Files.exists(Path.of("deploy/grafana", Path.of(home).getFileName().toString())));
  }

  @Test
  void envoyIsPublishedWhereItListensAndReachesTheGatewayByName() throws IOException {
    String config = Files.readString(Path.of("envoy/envoy.yaml"));
    String port = services.at("/envoy/ports/0").asText().replaceAll(".*:", "");
    assertTrue(config.contains("port_value: " + port), "a listener on " + port);
    assertTrue(config.contains("address: gateway"), "a cluster with the address gateway");
    assertTrue(config.contains("port_value: " + config().listener().listen().port()), "its port");
  }

  @Test
  void imagesHaveFullVersions() {
    for (JsonNode service : services) {
      String tag = service.get("image").asText().replaceAll("^[^:]+:", "");
      assertTrue(tag.matches(".*\\d+\\.\\d+\\.\\d+.*"), service.get("image").asText());
    }
  }

  private GatewayConfig config() {
    return Product.settings(environment()).config();
  }

  /** The image's, and what the service adds. */
  private Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>(image.environment());
    environment.putAll(Yaml.map(gateway.get("environment")));
    return environment;
  }

  private List<String> networks(String service) {
    return Yaml.words(services.at("/" + service + "/networks"));
  }

  private boolean mounts(String service, String target) {
    return Yaml.words(services.at("/" + service + "/volumes")).stream()
        .anyMatch(volume -> volume.split(":")[1].equals(target));
  }

  private static Duration seconds(JsonNode text) {
    return Duration.parse("PT" + text.asText());
  }
}
