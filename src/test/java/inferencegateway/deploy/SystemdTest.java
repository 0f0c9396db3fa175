package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** That the units and the product say the same; docker/verify.sh runs them. */
final class SystemdTest {

  private static final Path UNITS = Path.of("deploy/systemd");

  private final String unit = read("inference-gateway.service");
  private final String vllm = read("vllm.service");

  SystemdTest() throws IOException {}

  @Test
  void startsACommandWithFlagsThatThereAre() {
    List<String> words = Arrays.asList(one(unit, "ExecStart").split("\\s+"));
    Product.checkArguments(Product.argumentsOf(words));
    assertTrue(words.contains("-XX:+ExitOnOutOfMemoryError"));
    assertTrue(words.contains("-Xmx1g"), "MemoryMax is counted from it");
  }

  @Test
  void sampleOfTheSettingsIsGoodAndHasNoWarnings() {
    Settings.Loaded loaded = sample();
    assertEquals(List.of(), loaded.warnings());
  }

  @Test
  void socketIsTheOneThatVllmMakes() {
    String uds = one(vllm, "ExecStart").replaceAll(".*--uds (\\S+).*", "$1");
    assertEquals("unix:" + uds, sample().config().routing().backends().get(0).url().text());
    assertTrue(uds.startsWith("/run/" + one(vllm, "RuntimeDirectory") + "/"));
    assertEquals(one(vllm, "Group"), one(unit, "SupplementaryGroups"));
  }

  @Test
  void keyIsTheOneThatSystemdPassesOn() {
    String[] credential = one(unit, "LoadCredential").split(":");
    assertTrue(
        one(unit, "ExecStart")
            .endsWith("--api-key-file ${CREDENTIALS_DIRECTORY}/" + credential[0]));
  }

  @Test
  void drainHasTheTimeThatItNeedsAndVllmStopsLater() {
    GatewayConfig config = sample().config();
    Duration drain = config.drain().pause().plus(config.drain().grace());
    int stop = Integer.parseInt(one(unit, "TimeoutStopSec"));
    assertTrue(stop >= drain.plusSeconds(10).toSeconds(), stop + " s for " + drain);
    assertTrue(one(unit, "After").contains("vllm.service"));
  }

  @Test
  void connectionsAreClosedByTheGatewayAndNotByVllm() {
    int keepAlive =
        Integer.parseInt(vllm.replaceAll("(?s).*VLLM_HTTP_TIMEOUT_KEEP_ALIVE=(\\d+).*", "$1"));
    assertTrue(sample().config().upstream().idle().plusSeconds(5).toSeconds() < keepAlive);
  }

  @Test
  void wrongSettingsDoNotStartItForEver() {
    // The exit code of a wrong command line or configuration, as `serve --help` says.
    assertEquals("2", one(unit, "RestartPreventExitStatus"));
    assertEquals("143", one(unit, "SuccessExitStatus"));
  }

  @Test
  void openFilesAreEnoughForAllConnections() {
    int files = Integer.parseInt(one(unit, "LimitNOFILE"));
    assertTrue(files > 2 * sample().config().listener().maxConnections());
  }

  private static Settings.Loaded sample() {
    return Settings.read(
        Map.of(Settings.CONFIG, UNITS.resolve("gateway.yaml").toString()), Map.of());
  }

  private static String read(String name) throws IOException {
    return Files.readString(UNITS.resolve(name)).replace("\\\n", " ");
  }

  private static String one(String unit, String key) {
    List<String> found =
        Pattern.compile("(?m)^" + key + "=(.*)$")
            .matcher(unit)
            .results()
            .map(each -> each.group(1))
            .toList();
    assertEquals(1, found.size(), key);
    return found.get(0);
  }
}
