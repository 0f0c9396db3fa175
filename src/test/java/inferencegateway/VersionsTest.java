package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/**
 * The gateway and its client packages are released together, under one number. {@code
 * .ci/set-version} sets it everywhere.
 *
 * <p>A release is X.Y.Z in every language. What comes before it has each language's own spelling:
 * {@code X.Y.Z-SNAPSHOT}, {@code X.Y.Z.dev0}, {@code X.Y.Z-dev.0}.
 */
final class VersionsTest {

  private static final Pattern VERSION = Pattern.compile("(\\d+\\.\\d+\\.\\d+)(-SNAPSHOT)?");
  private static final Pattern PYTHON = Pattern.compile("(?m)^version = \"([^\"]+)\"$");
  private static final Path STUBS = Path.of("clients/java/pom.xml");
  private static final Path EXAMPLE = Path.of("clients/java/example/pom.xml");

  private final Document gateway = pom(Path.of("pom.xml"));
  private final Matcher version = VERSION.matcher(text(gateway, "/project/version"));

  VersionsTest() {
    assertTrue(version.matches(), "X.Y.Z or X.Y.Z-SNAPSHOT");
  }

  @Test
  void javaStubsHaveTheGatewaysVersion() throws IOException {
    assertEquals(version.group(), text(pom(STUBS), "/project/version"));
    assertEquals(
        version.group(), text(pom(EXAMPLE), "/project/properties/inference-gateway.version"));
    for (String readme : List.of("README.md", "README.zh-CN.md")) {
      assertTrue(
          Files.readString(Path.of("clients/java", readme))
              .contains("  <version>" + version.group() + "</version>"),
          readme);
    }
  }

  @Test
  void pythonPackageHasTheGatewaysVersion() throws IOException {
    Matcher found = PYTHON.matcher(Files.readString(Path.of("clients/python/pyproject.toml")));
    assertTrue(found.find(), "a line: version = \"...\"");
    assertEquals(spelled(".dev0"), found.group(1));
  }

  @Test
  void nodePackageHasTheGatewaysVersion() throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode manifest = json.readTree(Path.of("clients/node/package.json").toFile());
    JsonNode lock = json.readTree(Path.of("clients/node/package-lock.json").toFile());
    assertEquals(spelled("-dev.0"), manifest.path("version").asText());
    assertEquals(spelled("-dev.0"), lock.path("version").asText());
    assertEquals(spelled("-dev.0"), lock.path("packages").path("").path("version").asText());
  }

  @Test
  void imageIsLabelledAndTaggedWithTheGatewaysVersion() throws IOException {
    assertTrue(
        Files.readString(Path.of("docker/Dockerfile"))
            .contains("\nARG VERSION=" + version.group() + "\n"));
    String compose = Files.readString(Path.of("docker/compose.yaml"));
    String given = "${GATEWAY_VERSION:-" + version.group() + "}";
    assertTrue(compose.contains("image: inference-gateway:" + given));
    assertTrue(compose.contains("VERSION: \"" + given + "\""));
  }

  @Test
  void javaStubsAreGeneratedAsTheGatewaysAre() {
    for (String property : List.of("grpc.version", "grpc.plugin.version", "protobuf.version")) {
      String path = "/project/properties/" + property;
      assertEquals(text(gateway, path), text(pom(STUBS), path), property);
    }
    String grpc = "/project/properties/grpc.version";
    assertEquals(text(gateway, grpc), text(pom(EXAMPLE), grpc));
  }

  @Test
  void kubernetesFilesNameTheImageOfTheGatewaysVersion() throws IOException {
    Matcher found =
        Pattern.compile("(?m)^    newTag: (.+)$")
            .matcher(Files.readString(Path.of("deploy/kubernetes/base/kustomization.yaml")));
    assertTrue(found.find(), "a line: newTag: ...");
    assertEquals(version.group(), found.group(1));
  }

  private String spelled(String before) {
    return version.group(1) + (version.group(2) == null ? "" : before);
  }

  private static Document pom(Path file) {
    try {
      return DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(file.toFile());
    } catch (Exception e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  private static String text(Document pom, String path) {
    XPath xpath = XPathFactory.newDefaultInstance().newXPath();
    try {
      String text = xpath.evaluate(path, pom);
      assertTrue(!text.isEmpty(), path);
      return text;
    } catch (Exception e) {
      throw new AssertionError(path, e);
    }
  }
}
