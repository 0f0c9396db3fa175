package inferencegateway.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** YAML files as trees. */
final class Yaml {

  private Yaml() {}

  static JsonNode read(String file) throws IOException {
    return new ObjectMapper(new YAMLFactory()).readTree(Path.of(file).toFile());
  }

  /** A list of words, or one line of them. */
  static List<String> words(JsonNode node) {
    if (node.isTextual()) {
      return List.of(node.asText().split("\\s+"));
    }
    List<String> words = new ArrayList<>();
    node.forEach(each -> words.add(each.asText()));
    return words;
  }

  static Map<String, String> map(JsonNode node) {
    Map<String, String> map = new LinkedHashMap<>();
    node.properties().forEach(each -> map.put(each.getKey(), each.getValue().asText()));
    return map;
  }
}
