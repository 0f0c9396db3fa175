package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build says of the client packages' suites, with suites that only pretend. */
final class ClientSuitesTest {

  @TempDir private Path clients;

  private record Run(int code, String said) {}

  @BeforeEach
  void copy() throws IOException {
    Files.copy(Path.of("clients/verify.sh"), clients.resolve("verify.sh"));
    suite("java", "echo 'java: 1 tests passed'");
    suite("python", "echo 'python: 2 tests passed'");
    suite("node", "echo 'node: 3 tests passed'");
  }

  @Test
  void saysWhatPassed() throws Exception {
    Run run = run(Map.of("CLIENTS", "required"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  java    passed   1 tests passed"), run.said());
    assertTrue(report(run).contains("  python  passed   2 tests passed"), run.said());
    assertTrue(report(run).contains("  node    passed   3 tests passed"), run.said());
  }

  @Test
  void failureFailsTheBuildAfterTheOthersRan() throws Exception {
    suite("java", "echo 'java: a test failed'; exit 1");
    Run run = run(Map.of());
    assertEquals(1, run.code(), run.said());
    assertTrue(report(run).contains("  java    FAILED   a test failed (exit code 1"), run.said());
    assertTrue(report(run).contains("  node    passed   3 tests passed"), run.said());
  }

  @Test
  void missingSuiteIsFailure() throws Exception {
    Files.delete(clients.resolve("node/verify.sh"));
    Run run = run(Map.of());
    assertEquals(1, run.code(), run.said());
    assertTrue(report(run).contains("  node    FAILED"), run.said());
  }

  @Test
  void whatCouldNotRunIsSaidWithItsReason() throws Exception {
    suite("python", "echo 'python: there is no python3 here'; exit 75");
    Run run = run(Map.of());
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  python  NOT RUN  there is no python3 here"), run.said());
  }

  @Test
  void whatCouldNotRunIsFailureWhereItIsRequired() throws Exception {
    suite("python", "echo 'python: there is no python3 here'; exit 75");
    Run run = run(Map.of("CLIENTS", "required"));
    assertEquals(1, run.code(), run.said());
    assertTrue(report(run).contains("  python  NOT RUN  there is no python3 here"), run.said());
    assertTrue(report(run).contains("=> failed (CLIENTS=required)"), run.said());
  }

  @Test
  void skippedIsSaidToo() throws Exception {
    Run run = run(Map.of("SKIPPED", "true"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("NOT RUN: skipped"), run.said());
    assertFalse(run.said().contains("passed"), run.said());
  }

  @Test
  void suitesAreToldJarAndFolder() throws Exception {
    suite("node", "echo \"node: $GATEWAY_JAR in ${WORK##*/}\"");
    assertTrue(report(run(Map.of())).contains("  node    passed   the.jar in node"));
  }

  private void suite(String language, String does) throws IOException {
    Path script = Files.createDirectories(clients.resolve(language)).resolve("verify.sh");
    Files.writeString(script, "#!/usr/bin/env bash\n" + does + "\n");
    assertTrue(script.toFile().setExecutable(true));
  }

  private Run run(Map<String, String> environment) throws Exception {
    ProcessBuilder command = new ProcessBuilder("bash", clients.resolve("verify.sh").toString());
    command.environment().remove("CLIENTS");
    command.environment().put("GATEWAY_JAR", "the.jar");
    command.environment().put("WORK", clients.resolve("work").toString());
    command.environment().putAll(environment);
    Path said = clients.resolve("said.txt");
    Process process = command.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertTrue(process.waitFor(20, TimeUnit.SECONDS));
    return new Run(process.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
  }

  private static String report(Run run) {
    return run.said().substring(run.said().indexOf("Client packages:"));
  }
}
