package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.HostPort;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.health.Readiness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** That the image's file and the product say the same. */
final class DockerfileTest {

  private static final Pattern VERSION_TAG = Pattern.compile("[^:]+:[v]?\\d+\\.\\d+.*");

  private final Dockerfile file = Dockerfile.read();

  DockerfileTest() throws IOException {}

  @Test
  void everythingCopiedIsThereAndReachesTheBuild() throws IOException {
    List<String> context =
        Files.readAllLines(Path.of(".dockerignore")).stream()
            .filter(line -> line.startsWith("!"))
            .map(line -> line.substring(1))
            .toList();
    Set<String> copied = new LinkedHashSet<>();
    for (String copy : file.all("COPY")) {
      if (!copy.contains("--from=")) {
        String[] words = copy.split("\\s+");
        copied.addAll(Arrays.asList(words).subList(0, words.length - 1));
      }
    }
    for (String source : copied) {
      assertTrue(Files.exists(Path.of(source)), source);
      assertTrue(context.contains(source), source + " is kept out by .dockerignore");
    }
    context.forEach(each -> assertTrue(copied.contains(each), each + " is not used"));
  }

  @Test
  void imageRunsNothingWhileItIsBuiltAndHasNoShellForm() throws IOException {
    assertTrue(file.image().stream().noneMatch(each -> each.name().equals("RUN")), "no shell");
    List<String> entrypoint = Dockerfile.words(file.one("ENTRYPOINT"));
    assertEquals("/opt/java/bin/java", entrypoint.get(0));
    assertEquals(entrypoint.get(0), file.healthCheck().get(0));
    assertEquals("65532:65532", file.one("USER"));
    assertEquals("SIGTERM", file.one("STOPSIGNAL"));
  }

  @Test
  void commandsAreThoseOfTheProduct() throws IOException {
    Product.checkArguments(Dockerfile.words(file.one("CMD")));
    Product.checkArguments(Product.argumentsOf(file.healthCheck()));
  }

  @Test
  void environmentIsAGoodConfigurationAndItsPortsAreExposed() {
    GatewayConfig config = Product.settings(file.environment()).config();
    HostPort health = config.listener().healthListen();
    TelemetryConfig.Port metrics = config.telemetry().metrics();
    assertTrue(health != null && metrics != null);
    assertEquals(
        config.listener().listen().port() + " " + health.port() + " " + metrics.address().port(),
        file.one("EXPOSE"));
  }

  @Test
  void healthCheckAsksThePlaintextPortForANameThatThereIs() throws IOException {
    List<String> words = file.healthCheck();
    HostPort health = Product.settings(file.environment()).config().listener().healthListen();
    assertTrue(health != null);
    assertEquals("127.0.0.1:" + health.port(), words.get(words.indexOf("--target") + 1));
    assertEquals(Readiness.LIVENESS, words.get(words.indexOf("--service") + 1));
  }

  @Test
  void flagsOfTheJvmAreReadFromTheFilesThatAreInTheImage() throws IOException {
    Set<String> inImage =
        file.all("COPY").stream()
            .filter(copy -> copy.endsWith(" ./"))
            .flatMap(copy -> Arrays.stream(copy.split("\\s+")))
            .map(source -> "@/app/" + Path.of(source).getFileName())
            .collect(Collectors.toSet());
    List<String> started = Dockerfile.words(file.one("ENTRYPOINT"));
    assertTrue(inImage.contains(started.get(1)), started.toString());
    assertTrue(inImage.contains(file.healthCheck().get(1)), inImage.toString());
    assertEquals("/app/inference-gateway.jar", started.get(3));
    assertTrue(Files.readString(Path.of("pom.xml")).contains("<finalName>inference-gateway<"));
  }

  @Test
  void pathsInTheJvmsFlagsAreThoseThatTheTrainingMakes() throws IOException {
    String training = Files.readString(Path.of("docker/train.sh"));
    for (String options : List.of("docker/jvm.options", "docker/health.options")) {
      String flags = Files.readString(Path.of(options));
      assertTrue(flags.contains("\n-XX:AOTCache=/app/gateway.aot\n"), options);
      assertTrue(flags.contains("\n-Djava.library.path=/app/native\n"), options);
    }
    assertTrue(training.contains("$app/gateway.aot") && training.contains("\"$app/native/\""));
    assertTrue(file.all("RUN").contains("/build/train.sh /opt/java/bin/java /app"));
  }

  @Test
  void memoryOutsideOfTheHeapIsMeasuredAsTheFlagsSay() throws IOException {
    String flags = Files.readString(Path.of("docker/jvm.options"));
    assertTrue(flags.contains("\n-XX:MaxRAMPercentage=50\n"), "as docs/docker.md counts");
    assertTrue(flags.contains("\n-XX:+ExitOnOutOfMemoryError\n"));
  }

  @Test
  void billOfMaterialsIsMadeByTheBuild() throws IOException {
    String name = "inference-gateway.sbom";
    assertTrue(Files.readString(Path.of("pom.xml")).contains("<outputName>" + name + "<"));
    assertTrue(file.all("COPY").stream().anyMatch(copy -> copy.contains("/" + name + ".json")));
  }

  @Test
  void imagesHaveFullVersionsOrADigest() {
    for (String argument : file.all("ARG")) {
      String[] image = argument.split("=", 2);
      if (image[0].endsWith("_IMAGE") && !image[1].startsWith("gcr.io/distroless/")) {
        assertTrue(
            VERSION_TAG.matcher(image[1]).matches() || image[1].contains("@sha256:"), argument);
      }
    }
  }
}
