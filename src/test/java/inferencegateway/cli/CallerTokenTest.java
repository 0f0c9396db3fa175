package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CallerTokenTest {

  private static final Map<String, String> VARIABLE =
      Map.of("INFERENCE_GATEWAY_TOKEN", "of-the-variable\n");

  @TempDir private Path folder;
  private FakeGateway gateway;

  @BeforeEach
  void start() throws IOException {
    gateway = FakeGateway.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    gateway.close();
    gateway.awaitTermination();
  }

  private CliRun run(Map<String, String> environment, String command, String... more) {
    String[] args = new String[more.length + 3];
    args[0] = command;
    args[1] = "--target";
    args[2] = gateway.target();
    System.arraycopy(more, 0, args, 3, more.length);
    return CliRun.with(CliRun.NOTHING, environment, "", args);
  }

  @Test
  void everyCallCarriesTheKey() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "of-the-file\n");
    assertEquals(0, run(Map.of(), "health").code());
    assertEquals("null", gateway.authorizations.poll());
    assertEquals(0, run(VARIABLE, "health").code());
    assertEquals("Bearer of-the-variable", gateway.authorizations.poll());
    assertEquals(0, run(VARIABLE, "generate", "Hi", "--token-file", file.toString()).code());
    assertEquals("Bearer of-the-file", gateway.authorizations.poll());
    assertEquals(0, run(VARIABLE, "generate", "Hi", "--contract=inference", "--no-stream").code());
    assertEquals("Bearer of-the-variable", gateway.authorizations.poll());
  }

  @Test
  void whatIsNoKeyIsSaidAndNotShown() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "two\nlines");
    CliRun run = run(Map.of(), "generate", "Hi", "--token-file", file.toString());
    assertEquals(2, run.code());
    assertTrue(run.err().startsWith("error: --token-file: must hold a key"), run.err());
    assertFalse(run.err().contains("two"), run.err());
    assertEquals(2, run(Map.of(), "health", "--token-file", folder + "/gone").code());
    CliRun bad = run(Map.of("INFERENCE_GATEWAY_TOKEN", "s\u00e9cret"), "health");
    assertEquals(2, bad.code());
    assertFalse(bad.err().contains("cret"), bad.err());
  }
}
