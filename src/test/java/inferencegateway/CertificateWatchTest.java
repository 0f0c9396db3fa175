package inferencegateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.CertificateFile;
import inferencegateway.testing.Authority;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateWatchTest {

  @TempDir private Path folder;

  private final Instant end =
      Instant.now().plus(Duration.ofDays(9)).truncatedTo(ChronoUnit.SECONDS);
  private final List<String> told = new ArrayList<>();
  private Instant now = Instant.now();
  private CertificateWatch watch;

  @BeforeEach
  void start() throws IOException {
    write(end);
    watch =
        new CertificateWatch(
            List.of(new CertificateFile("tls.cert", folder.resolve("c.crt"), false)),
            () -> now,
            told::add);
  }

  private void write(Instant until) throws IOException {
    new Authority("CN=a").to("CN=b").until(until).issue().write(folder, "c");
  }

  private void minutesPass(int minutes) {
    for (int i = 0; i < minutes; i++) {
      now = now.plus(CertificateWatch.PERIOD);
      watch.look();
    }
  }

  @Test
  void tellsOnceADayInTheLastWeekAndAtOnceWhenItIsOver() {
    minutesPass(24 * 60);
    assertEquals(List.of(), told, "nine days are left, then eight");
    now = end.minus(Duration.ofDays(2)).minusSeconds(1);
    minutesPass(3);
    assertEquals(1, told.size(), told.toString());
    assertTrue(told.get(0).contains("expires in"), told.toString());
    minutesPass(24 * 60);
    assertEquals(2, told.size(), told.toString());
    now = end.minusSeconds(30);
    minutesPass(1);
    assertTrue(told.get(told.size() - 1).contains("has expired"), told.toString());
    int before = told.size();
    minutesPass(60);
    assertEquals(before, told.size(), "not again within the day");
  }

  @Test
  void followsTheFile() throws IOException {
    String file = folder.resolve("c.crt").toString();
    assertEquals(Map.of(file, end.getEpochSecond()), watch.ends());
    write(end.plusSeconds(60));
    minutesPass(1);
    assertEquals(Map.of(file, end.plusSeconds(60).getEpochSecond()), watch.ends());
  }
}
