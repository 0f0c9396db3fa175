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

/** What the build says of the suites in other languages, with suites that only pretend. */
final class SuitesTest {

  @TempDir private Path root;

  private record Run(int code, String said) {}

  @BeforeEach
  void copy() throws IOException {
    Files.createDirectories(root.resolve(".ci"));
    Files.copy(Path.of(".ci/suites"), root.resolve(".ci/suites"));
    suite("clients/java", "echo 'java: 1 tests passed'");
    suite("clients/python", "echo 'python: 2 tests passed'");
    suite("clients/node", "echo 'node: 3 tests passed'");
    suite("docker", "echo 'docker: 4 tests passed'");
    suite("envoy", "echo 'envoy: 5 tests passed'");
    suite("deploy/kubernetes", "echo 'kubernetes: 6 tests passed'");
  }

  @Test
  void saysWhatPassed() throws Exception {
    Run run = run(Map.of("SUITES", "required"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  java        passed   1 tests passed"), run.said());
    assertTrue(report(run).contains("  python      passed   2 tests passed"), run.said());
    assertTrue(report(run).contains("  node        passed   3 tests passed"), run.said());
    assertTrue(report(run).contains("  docker      passed   4 tests passed"), run.said());
    assertTrue(report(run).contains("  envoy       passed   5 tests passed"), run.said());
    assertTrue(report(run).contains("  kubernetes  passed   6 tests passed"), run.said());
  }

  @Test
  void withoutBeingAskedOnlyTheClientsRun() throws Exception {
    suite("docker", "echo 'docker: ran'; exit 1");
    Run run = run(Map.of());
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  node        passed   3 tests passed"), run.said());
    assertTrue(report(run).contains("  docker      NOT RUN  not asked for"), run.said());
    assertFalse(run.said().contains("docker: ran"), run.said());
  }

  @Test
  void failureFailsTheBuildAfterTheOthersRan() throws Exception {
    suite("clients/java", "echo 'java: a test failed'; exit 1");
    Run run = run(Map.of());
    assertEquals(1, run.code(), run.said());
    assertTrue(
        report(run).contains("  java        FAILED   a test failed (exit code 1"), run.said());
    assertTrue(report(run).contains("  node        passed   3 tests passed"), run.said());
  }

  @Test
  void failedDeploymentFailsTheBuildThatAskedForIt() throws Exception {
    suite("envoy", "echo 'envoy: a test failed'; exit 1");
    Run run = run(Map.of("SUITES", "all"));
    assertEquals(1, run.code(), run.said());
    assertTrue(
        report(run).contains("  envoy       FAILED   a test failed (exit code 1"), run.said());
    assertTrue(report(run).contains("  kubernetes  passed   6 tests passed"), run.said());
  }

  @Test
  void missingSuiteIsFailure() throws Exception {
    Files.delete(root.resolve("clients/node/verify.sh"));
    Run run = run(Map.of());
    assertEquals(1, run.code(), run.said());
    assertTrue(report(run).contains("  node        FAILED"), run.said());
  }

  @Test
  void whatCouldNotRunIsSaidWithItsReason() throws Exception {
    suite("docker", "echo 'docker: there is no bwrap here'; exit 75");
    Run run = run(Map.of("SUITES", "all"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  docker      NOT RUN  there is no bwrap here"), run.said());
  }

  @Test
  void whatCouldNotRunIsFailureWhereItIsRequired() throws Exception {
    suite("clients/python", "echo 'python: there is no python3 here'; exit 75");
    Run run = run(Map.of("SUITES", "required"));
    assertEquals(1, run.code(), run.said());
    assertTrue(report(run).contains("  python      NOT RUN  there is no python3 here"), run.said());
    assertTrue(report(run).contains("=> failed (SUITES=required)"), run.said());
  }

  @Test
  void whatTheMachineDoesNotAllowIsSaidAndNoFailure() throws Exception {
    suite("docker", "echo 'docker: no name spaces'; exit 77");
    Run run = run(Map.of("SUITES", "required"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("  docker      NOT RUN  no name spaces"), run.said());
  }

  @Test
  void skippedIsSaidToo() throws Exception {
    Run run = run(Map.of("SKIPPED", "true"));
    assertEquals(0, run.code(), run.said());
    assertTrue(report(run).contains("NOT RUN: skipped"), run.said());
    assertFalse(run.said().contains("passed"), run.said());
  }

  @Test
  void unknownWishIsRefused() throws Exception {
    Run run = run(Map.of("SUITES", "everything"));
    assertEquals(2, run.code(), run.said());
    assertTrue(run.said().contains("it may be clients, all or required"), run.said());
  }

  @Test
  void suitesAreToldJarAndFolder() throws Exception {
    suite("clients/node", "echo \"node: $GATEWAY_JAR in ${WORK##*/}\"");
    assertTrue(report(run(Map.of())).contains("  node        passed   the.jar in node"));
  }

  private void suite(String folder, String does) throws IOException {
    Path script = Files.createDirectories(root.resolve(folder)).resolve("verify.sh");
    Files.writeString(script, "#!/usr/bin/env bash\n" + does + "\n");
    assertTrue(script.toFile().setExecutable(true));
  }

  private Run run(Map<String, String> environment) throws Exception {
    ProcessBuilder command = new ProcessBuilder("bash", root.resolve(".ci/suites").toString());
    command.environment().remove("SUITES");
    command.environment().put("GATEWAY_JAR", "the.jar");
    command.environment().put("WORK", root.resolve("work").toString());
    command.environment().putAll(environment);
    Path said = root.resolve("said.txt");
    Process process = command.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertTrue(process.waitFor(20, TimeUnit.SECONDS));
    return new Run(process.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
  }

  private static String report(Run run) {
    return run.said().substring(run.said().indexOf("Client packages and deployment files:"));
  }
}
