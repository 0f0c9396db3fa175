package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import inferencegateway.config.StartFailure;
import io.grpc.InsecureServerCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServeCommandTest {

  @TempDir private Path folder;

  @Test
  void helpShowsEverySettingWithItsDefault() {
    CliRun run = CliRun.of("serve", "--help");
    assertEquals(0, run.code());
    String words = run.out().replaceAll("\\s+", " ");
    for (Setting<?> setting : Settings.all()) {
      int at = words.indexOf(" " + setting.flag());
      assertTrue(at >= 0, setting.flag());
      assertTrue(words.indexOf("Default: " + setting.defaultText(), at) > at, setting.key());
    }
    for (Setting.Group group : Setting.Group.values()) {
      assertTrue(run.out().contains("\n" + group.heading() + ":\n"), group.heading());
    }
  }

  @Test
  void helpSaysHowASecondSignalEndsIt() {
    String words = CliRun.of("serve", "--help").out().replaceAll("\\s+", " ");
    assertTrue(words.contains("with exit code 143 (SIGTERM) or 130 (Ctrl-C)"), words);
    assertTrue(words.contains("143 ended at once by a second SIGTERM"), words);
  }

  @Test
  void everyProblemIsListedAtOnce() {
    CliRun run =
        CliRun.of(
            "serve", "--drain-puase", "5s", "--backend=foo", "stray", "--listen", "x", "--model");
    assertEquals(2, run.code());
    assertTrue(run.err().contains("error: --drain-puase: is no flag of serve; did you mean"));
    assertTrue(run.err().contains("error: backend: must begin with http://"), run.err());
    assertTrue(run.err().contains("\"stray\""), run.err());
    assertTrue(run.err().contains("error: listen: must be an address"), run.err());
    assertTrue(run.err().contains("'--model'"), run.err());
    assertFalse(run.err().contains("\tat "), run.err());
  }

  @Test
  void checkSaysThatAllIsWellAndWarns() {
    CliRun run = CliRun.with(CliRun.NOTHING, Map.of("GATEWAY_MODLE", "x"), "", "serve", "--check");
    assertEquals(0, run.code());
    assertEquals("configuration is valid\n", run.out());
    assertTrue(run.err().contains("did you mean GATEWAY_MODEL?"), run.err());
  }

  @Test
  void checkFailsWhereTheStartWould() {
    CliRun run = serve(new Unstartable(), "--check", "--allow-any-caller");
    assertEquals(new CliRun(2, "", "error: tls.key: not the key of the certificate\n"), run);
  }

  private static final class Unstartable implements GatewayStarter {
    @Override
    public RunningGateway start(GatewayConfig config) {
      throw new AssertionError("only a check was asked for");
    }

    @Override
    public void check(GatewayConfig config) throws IOException {
      throw new StartFailure("tls.key", "not the key of the certificate", null);
    }
  }

  @Test
  void printedConfigurationCanBeReadBack() throws IOException {
    Path key = Files.writeString(folder.resolve("key"), "topsecret");
    CliRun first =
        CliRun.with(
            CliRun.NOTHING,
            Map.of("GATEWAY_DRAIN_PAUSE", "1s", "GATEWAY_API_KEY_FILE", key.toString()),
            "",
            "serve",
            "--print-config",
            "--model",
            "a \"b\" \\ c: #d",
            "--listen=[::1]:5");
    assertEquals(0, first.code(), first.err());
    assertFalse(first.out().contains("topsecret"));
    assertTrue(first.out().contains("# environment GATEWAY_DRAIN_PAUSE"), first.out());
    Path file = Files.writeString(folder.resolve("gateway.yaml"), first.out());
    CliRun second = CliRun.of("serve", "--print-config", "--config", file.toString());
    assertEquals(0, second.code(), second.err());
    assertEquals(withoutSources(first.out()), withoutSources(second.out()));
  }

  private static String withoutSources(String listing) {
    return listing.replaceAll(" +# (default|flag|environment|file|not set).*", "");
  }

  @Test
  void flagsOfOneGroupStandBesideEachOther() {
    CliRun run =
        CliRun.of(
            "serve", "--print-config", "--model=a", "--backend", "http://b/v1", "--model", "c");
    assertTrue(run.out().contains("model: c "), run.out());
    assertTrue(run.out().contains("backend: http://b/v1 "), run.out());
  }

  @Test
  void bareSwitchMeansTrue() {
    CliRun run =
        CliRun.of(
            "serve", "--print-config", "--upstream-lenient-finish", "--reflection-enabled=false");
    assertTrue(run.out().contains("upstream.lenient-finish: true "), run.out());
    assertTrue(run.out().contains("reflection.enabled: false "), run.out());
  }

  @Test
  void takenPortIsSaidInOneLine() throws Exception {
    try (FakeGateway first = FakeGateway.start()) {
      GatewayStarter starter =
          config ->
              FakeGateway.start(
                  InsecureServerCredentials.create(), config.listener().listen().port());
      CliRun run = serve(starter, "--listen", ":" + first.port());
      assertEquals(1, run.code());
      assertEquals(
          "error: listen: cannot listen on [::]:"
              + first.port()
              + ": address already in use; stop what listens there or choose another port, such as"
              + " --listen :50052\n",
          run.err());
      first.stopNow();
      first.awaitTermination();
    }
  }

  @Test
  void startFailureNamesItsKey() {
    CliRun run =
        serve(
            config -> {
              throw new StartFailure("tls.key", "does not belong to tls.cert", null);
            });
    assertEquals(new CliRun(1, "", "error: tls.key: does not belong to tls.cert\n"), run);
  }

  @Test
  void serveRunsUntilASignalAndEndsWithZero() {
    AtomicReference<GatewayConfig> seen = new AtomicReference<>();
    CliRun run =
        serve(
            config -> {
              seen.set(config);
              return FakeGateway.start().whenAwaited(() -> Signals.raise("TERM"));
            },
            "--drain-pause=0s");
    assertEquals(0, run.code(), run.err());
    assertEquals(Duration.ZERO, seen.get().drain().pause());
  }

  @Test
  void hangUpReadsFilesAgainAndGoesOn() {
    AtomicBoolean reloaded = new AtomicBoolean();
    CliRun run =
        serve(
            config -> {
              FakeGateway gateway = FakeGateway.start();
              return gateway.whenAwaited(
                  () -> {
                    Signals.raise("HUP");
                    reloaded.set(gateway.reloadedWithin(Duration.ofSeconds(5)));
                    Signals.raise("TERM");
                  });
            });
    assertEquals(0, run.code(), run.err());
    assertTrue(reloaded.get());
  }

  @Test
  void openPortIsWarnedAbout() {
    CliRun checked = CliRun.of("serve", "--check");
    assertEquals(
        "warning: allow-any-caller: anybody who can reach [::]:50051 may use the backend: set"
            + " callers.file or tls.client-ca, listen on 127.0.0.1, or say allow-any-caller:"
            + " true\n",
        checked.err());
  }

  private static CliRun serve(GatewayStarter starter, String... flags) {
    Wiring wiring =
        new Wiring(
            starter,
            () -> {
              throw new IOException("no backend here");
            },
            List.of());
    String[] args = new String[flags.length + 1];
    args[0] = "serve";
    System.arraycopy(flags, 0, args, 1, flags.length);
    return CliRun.with(wiring, Map.of(), "", args);
  }
}
