package inferencegateway.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The command as people run it: from the jar, with all its processes. */
class BenchIT {

  @Test
  void measuresAndEndsEverythingItStarted() throws Exception {
    Process bench = start("bench", "--quick", "--scenario=smallest", "--duration=500ms", "--json");
    try {
      JsonNode report = new ObjectMapper().readTree(bench.getInputStream());
      assertTrue(bench.waitFor(30, TimeUnit.SECONDS));
      assertEquals(0, bench.exitValue());
      JsonNode result = report.get("results").get(0);
      for (String server : List.of("gateway", "floor")) {
        assertTrue(result.get(server).get("perSecond").asDouble() > 0, report::toString);
        assertTrue(result.get(server).get("delayP50").asDouble() > 0, report::toString);
        assertEquals(0, result.get(server).get("failures").asInt(), report::toString);
      }
      // Not the floor's: the system counts in ticks of 10 ms, and nginx takes less for these few
      // tokens.
      assertTrue(result.get("gateway").get("micros").asDouble() > 0, report::toString);
    } finally {
      bench.destroyForcibly();
    }
  }

  @Test
  void stoppedHalfWayItTakesItsProcessesAlong() throws Exception {
    Process bench = start("bench", "--scenario=smallest");
    List<ProcessHandle> children = List.of();
    try {
      for (int i = 0; i < 400 && children.size() < 3; i++) {
        bench.waitFor(50, TimeUnit.MILLISECONDS);
        children = bench.descendants().toList();
      }
      assertTrue(children.size() >= 3, "simulator, gateway and proxy");
      bench.destroy();
      assertTrue(bench.waitFor(20, TimeUnit.SECONDS));
      for (ProcessHandle child : children) {
        child.onExit().get(10, TimeUnit.SECONDS);
      }
    } finally {
      children.forEach(ProcessHandle::destroyForcibly);
      bench.destroyForcibly();
    }
  }

  @Test
  void anUnknownScenarioIsToldWhichThereAre() throws Exception {
    Process bench = start("bench", "--scenario=fast");
    try {
      String said = new String(bench.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      String wrong = new String(bench.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(2, bench.waitFor());
      assertEquals("", said);
      assertTrue(wrong.contains("paced-1000"), wrong);
    } finally {
      bench.destroyForcibly();
    }
  }

  private static Process start(String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    builder.command().addAll(List.of("-jar", System.getProperty("gateway.jar", "")));
    builder.command().addAll(List.of(arguments));
    return builder.start();
  }
}
