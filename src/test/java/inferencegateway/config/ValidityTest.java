package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.Authority;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValidityTest {

  @TempDir private Path folder;

  @Test
  void whatHasExpiredOrSoonWillIsTold() throws IOException {
    Instant now = Instant.now();
    new Authority("CN=a")
        .to("CN=b")
        .until(now.plus(Duration.ofHours(12)))
        .issue()
        .write(folder, "c");
    Path file = folder.resolve("c.crt");
    assertTold(file, now, "expires in ");
    assertTold(file, now.plus(Duration.ofHours(13)), "has expired");
    assertTold(file, now.minus(Duration.ofDays(3)), "is not valid before");
    assertEquals(
        List.of(),
        Validity.warnings("x", file, now.minus(Duration.ofHours(23 + 24 * 7))).stream()
            .filter(line -> line.contains("expire"))
            .toList());
    assertEquals(List.of(), Validity.warnings("x", folder.resolve("none"), now));
  }

  private static void assertTold(Path file, Instant now, String words) {
    List<String> told = Validity.warnings("tls.cert", file, now);
    assertEquals(1, told.size());
    assertTrue(told.get(0).startsWith("tls.cert: a certificate in " + file), told.get(0));
    assertTrue(told.get(0).contains(words), told.get(0));
  }

  @Test
  void theConfigurationsWarningsHaveThem() throws IOException {
    Authority authority = new Authority("CN=a");
    authority.to("CN=b").until(Instant.now().minusSeconds(60)).issue().write(folder, "own");
    Map<String, String> flags =
        Map.of(
            "listen", "127.0.0.1:1",
            "tls.cert", folder.resolve("own.crt").toString(),
            "tls.key", folder.resolve("own.key").toString());
    List<String> warnings = Settings.read(flags, Map.of()).warnings();
    assertTrue(warnings.get(0).startsWith("tls.cert: a certificate in "), warnings.toString());
    assertTrue(warnings.get(0).contains("has expired"), warnings.toString());
  }
}
