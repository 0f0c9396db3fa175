package inferencegateway.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.yaml.snakeyaml.Yaml;

/** {@code envoy/envoy.yaml} as it ships, or with one of its variants. */
final class EnvoyFile {

  static final Path FILE = Path.of("envoy/envoy.yaml");
  static final List<String> VARIANTS = List.of("tls", "mtls", "orca");

  private final JsonNode tree;

  private EnvoyFile(String text) {
    // With a reader that knows anchors.
    tree = new ObjectMapper().valueToTree(new Yaml().load(text));
  }

  static EnvoyFile plain() {
    return new EnvoyFile(YamlFiles.text(FILE));
  }

  /** As the {@code sed} in its head makes it. */
  static EnvoyFile variant(String name) {
    return new EnvoyFile(
        YamlFiles.text(FILE)
            .replaceAll("(?m)^.*#-" + name + "$\\n", "")
            .replaceAll("(?m)^( *)#" + name + ": ", "$1"));
  }

  JsonNode tree() {
    return tree;
  }

  JsonNode listener(int number) {
    return tree.at("/static_resources/listeners/" + number);
  }

  /** The HTTP connection manager of calls. */
  JsonNode connections() {
    return listener(0).at("/filter_chains/0/filters/0/typed_config");
  }

  JsonNode virtualHost() {
    return connections().at("/route_config/virtual_hosts/0");
  }

  JsonNode filter(String name) {
    for (JsonNode filter : connections().get("http_filters")) {
      if (filter.get("name").asText().equals("envoy.filters.http." + name)) {
        return filter.get("typed_config");
      }
    }
    throw new AssertionError(name);
  }

  /** By exact path; the rest is answered by Envoy. */
  Map<String, JsonNode> routes() {
    Map<String, JsonNode> routes = new TreeMap<>();
    for (JsonNode route : virtualHost().get("routes")) {
      if (route.at("/match").has("path")) {
        routes.put(route.at("/match/path").asText(), route.get("route"));
      }
    }
    return routes;
  }

  JsonNode cluster() {
    return tree.at("/static_resources/clusters/0");
  }

  /** HTTP/2 towards gateways. */
  JsonNode upstream() {
    return cluster().get("typed_extension_protocol_options").elements().next();
  }

  List<String> secrets() {
    List<String> files = new ArrayList<>();
    tree.findValues("sds_config").forEach(sds -> files.add(sds.findValue("path").asText()));
    return files;
  }

  static Duration time(JsonNode text) {
    return Duration.parse("PT" + text.asText());
  }
}
