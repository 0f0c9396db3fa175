package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code docker/Dockerfile}, read as far as its tests need. */
final class Dockerfile {

  /** One line of a stage. */
  record Instruction(String name, String rest) {}

  private static final Pattern VARIABLE = Pattern.compile("([A-Z_]+)=(\\S+)");

  private final List<List<Instruction>> stages = new ArrayList<>();

  static Dockerfile read() throws IOException {
    return new Dockerfile(Files.readString(Path.of("docker/Dockerfile")));
  }

  private Dockerfile(String text) {
    String lines = text.replaceAll("(?m)^\\s*#.*\\n", "").replace("\\\n", " ");
    for (String line : lines.lines().filter(each -> !each.isBlank()).toList()) {
      String[] words = line.strip().split("\\s+", 2);
      if (words[0].equals("FROM") || stages.isEmpty()) {
        stages.add(new ArrayList<>());
      }
      stages.get(stages.size() - 1).add(new Instruction(words[0], words[1]));
    }
  }

  /** Of all stages. */
  List<String> all(String name) {
    return stages.stream()
        .flatMap(List::stream)
        .filter(instruction -> instruction.name().equals(name))
        .map(Instruction::rest)
        .toList();
  }

  /** The stage that becomes the image. */
  List<Instruction> image() {
    return stages.get(stages.size() - 1);
  }

  /** Of the image; there is one. */
  String one(String name) {
    List<String> found =
        image().stream()
            .filter(instruction -> instruction.name().equals(name))
            .map(Instruction::rest)
            .toList();
    assertEquals(1, found.size(), name);
    return found.get(0);
  }

  /** The words of an instruction in exec form, that is, without a shell. */
  static List<String> words(String json) throws JsonProcessingException {
    return List.of(new ObjectMapper().readValue(json, String[].class));
  }

  /** The words that the health check runs. */
  List<String> healthCheck() throws JsonProcessingException {
    return words(one("HEALTHCHECK").split("CMD", 2)[1]);
  }

  Map<String, String> environment() {
    Map<String, String> found = new TreeMap<>();
    Matcher variables = VARIABLE.matcher(one("ENV"));
    while (variables.find()) {
      found.put(variables.group(1), variables.group(2));
    }
    return found;
  }
}
