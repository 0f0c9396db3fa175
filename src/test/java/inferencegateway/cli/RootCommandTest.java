package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

final class RootCommandTest {

  @Test
  void usageTeachesWithExamples() {
    CliRun run = CliRun.of("--help");
    assertEquals(0, run.code());
    for (String word : List.of("serve", "demo", "generate", "health", "Examples", "java -jar")) {
      assertTrue(run.out().contains(word), word);
    }
  }

  @Test
  void nothingAskedForShowsTheUsage() {
    CliRun run = CliRun.of();
    assertEquals(2, run.code());
    assertTrue(run.err().contains("Commands:"), run.err());
  }

  @Test
  void versionNamesGrpcAndJava() {
    CliRun run = CliRun.of("--version");
    assertEquals(0, run.code());
    assertTrue(run.out().matches("(?s)inference-gateway \\d.*\ngrpc-java 1\\..*\njava \\d.*"));
  }

  @Test
  void unknownCommandNamesTheNearest() {
    CliRun run = CliRun.of("servee");
    assertEquals(2, run.code());
    assertTrue(run.err().contains("did you mean serve?"), run.err());
  }

  @Test
  void commandsOfOtherRoomsCanBeAdded() {
    Wiring wiring =
        new Wiring(CliRun.NOTHING.gateway(), CliRun.NOTHING.demoBackend(), List.of(new Extra()));
    assertEquals(7, CliRun.with(wiring, Map.of(), "", "extra").code());
  }

  @Command(name = "extra")
  static final class Extra implements java.util.concurrent.Callable<Integer> {
    @Override
    public Integer call() {
      return 7;
    }
  }
}
