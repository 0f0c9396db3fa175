package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultSpecTest {

  @Test
  void severalFaultsAreSeparatedBySemicolons() {
    FaultSpec spec = FaultSpec.parse(" drop-after = 7 ; SPLIT; error-message=a=b ;");
    assertEquals(7, spec.number(Fault.DROP_AFTER, 0));
    assertEquals(1, spec.number(Fault.SPLIT, 0));
    assertEquals("a=b", spec.text(Fault.ERROR_MESSAGE));
    assertEquals("error-message=a=b;drop-after=7;split=1", spec.toString());
  }

  @Test
  void laterSpecAddsAndNoneForgets() {
    FaultSpec spec = FaultSpec.parse("drop-after=7;bom").and("drop-after=1");
    assertEquals("drop-after=1;bom", spec.toString());
    assertEquals("no-done", spec.and("none;no-done").toString());
    assertSame(FaultSpec.NONE, spec.and("none"));
    assertSame(FaultSpec.NONE, FaultSpec.parse(" "));
  }

  @Test
  void unknownFaultIsRefusedWithTheList() {
    String words =
        assertThrows(IllegalArgumentException.class, () -> FaultSpec.parse("drop")).getMessage();
    assertTrue(words.contains("'drop'") && words.contains("drop-after-headers"), words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop-after=x",
        "drop-after=-1",
        "split=0",
        "bom=1",
        "status",
        "status=99",
        "status=600",
        "eol=up",
        "unsolicited=5",
        "finish",
        "error-message",
        "huge-line=99999999999",
        "html=yes"
      })
  void valueThatDoesNotFitIsRefused(String spec) {
    assertThrows(IllegalArgumentException.class, () -> FaultSpec.parse(spec));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0s", "250us", "50ms", "1.5s", "2m", "1h"})
  void durationsAreReadAsPeopleWriteThem(String text) {
    List<Duration> all =
        List.of(
            Duration.ZERO,
            Duration.ofNanos(250_000),
            Duration.ofMillis(50),
            Duration.ofMillis(1500),
            Duration.ofMinutes(2),
            Duration.ofHours(1));
    assertTrue(all.contains(HumanDuration.parse(text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "-1s", "s", "1d", "1 s", "99999999999s"})
  void otherDurationsAreRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> HumanDuration.parse(text));
  }

  @Property(tries = 300)
  void printedSpecReadsBackTheSame(@ForAll("specs") String text) {
    FaultSpec spec = FaultSpec.parse(text);
    assertEquals(spec.toString(), FaultSpec.parse(spec.toString()).toString());
  }

  @Property(tries = 300)
  void anythingElseIsRefusedInWords(@ForAll String text) {
    try {
      FaultSpec.parse(text);
    } catch (IllegalArgumentException words) {
      assertTrue(words.getMessage() != null && !words.getMessage().isBlank());
    }
  }

  @Provide
  Arbitrary<String> specs() {
    return Arbitraries.of(
            "drop-after=2",
            "status=503-queue",
            "bom",
            "none",
            "eol=cr",
            "finish=x y",
            "slow-health",
            "split")
        .list()
        .ofMaxSize(6)
        .map(parts -> String.join(";", parts));
  }
}
