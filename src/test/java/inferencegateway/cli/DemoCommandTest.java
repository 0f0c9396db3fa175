package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.GatewayConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class DemoCommandTest {

  private final AtomicBoolean backendClosed = new AtomicBoolean();
  private final AtomicReference<GatewayConfig> seen = new AtomicReference<>();

  @Test
  void onceStreamsOneAnswerAndStops() {
    CliRun run = demo(config -> started(config), Map.of(), "--once");
    assertEquals(0, run.code(), run.err());
    assertEquals("Grüß Gott 世界\n", run.out());
    assertFalse(run.err().contains("grpcurl"), run.err());
    assertTrue(backendClosed.get());
  }

  @Test
  void gatewayIsPutInFrontOfTheDemosBackend() {
    demo(config -> started(config), Map.of("GATEWAY_BACKEND", "http://elsewhere/v1"), "--once");
    assertEquals("http://127.0.0.1:9/v1", seen.get().routing().backends().get(0).url().text());
    assertEquals("meta-llama/Llama-3.1-8B-Instruct", seen.get().routing().defaultModel());
    assertEquals(Duration.ZERO, seen.get().drain().pause());
  }

  @Test
  void callsToPasteArePrintedAndItServesUntilASignal() {
    CliRun run = demo(config -> started(config).whenAwaited(() -> Signals.raise("INT")), Map.of());
    assertEquals(0, run.code(), run.err());
    for (String word : List.of("generate --target localhost:", "grpcurl -plaintext", "python3")) {
      assertTrue(run.err().contains(word), run.err());
    }
  }

  @Test
  void takenPortIsSaidWithWhatToDo() {
    CliRun run =
        demo(
            config -> {
              throw new IOException(
                  "bind failed", new java.net.BindException("Address already in use"));
            },
            Map.of());
    assertEquals(1, run.code());
    assertTrue(run.err().contains("--listen :50052"), run.err());
    assertTrue(backendClosed.get());
  }

  @Test
  void settingsThatItDecidesAreNoFlagsOfIt() {
    CliRun run = demo(config -> started(config), Map.of(), "--backend", "http://x/v1");
    assertEquals(2, run.code());
    assertTrue(run.err().contains("--backend: is no flag of demo"), run.err());
  }

  @Test
  void aListOfCallersIsForServe() {
    CliRun run =
        demo(config -> started(config), Map.of("GATEWAY_CALLERS_FILE", "callers.yaml"), "--once");
    assertEquals(2, run.code());
    assertTrue(run.err().contains("callers.file"), run.err());
  }

  private FakeGateway started(GatewayConfig config) throws IOException {
    seen.set(config);
    return FakeGateway.start();
  }

  private CliRun demo(GatewayStarter starter, Map<String, String> environment, String... flags) {
    BackendForDemo backend =
        new BackendForDemo() {
          @Override
          public String baseUrl() {
            return "http://127.0.0.1:9/v1";
          }

          @Override
          public void close() {
            backendClosed.set(true);
          }
        };
    String[] args = new String[flags.length + 1];
    args[0] = "demo";
    System.arraycopy(flags, 0, args, 1, flags.length);
    return CliRun.with(new Wiring(starter, () -> backend, List.of()), environment, "", args);
  }
}
