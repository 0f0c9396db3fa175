package inferencegateway.admission;

import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.AdmissionConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The promises of overload, by the rules alone and without a clock's noise. */
class RushTest {

  private static final Duration SETTLE = Duration.ofMinutes(1);
  private static final Duration MEASURE = Duration.ofMinutes(10);

  private static AdmissionConfig startingAt(int running) {
    return new AdmissionConfig(running, 256, true, 1, 256, null);
  }

  private static Rush.Fate alone(AdmissionConfig config, boolean tells, double vary, double load) {
    Rush rush = new Rush(config, tells, vary, 7);
    rush.caller("all", load * Rush.perSecondAtMost());
    return rush.run(SETTLE, MEASURE).get("all");
  }

  @ParameterizedTest(name = "starting at {0}, told {1}, varying by {2}")
  @CsvSource({
    "256, true, 0.0",
    "256, true, 0.1",
    "256, true, 0.5",
    "256, true, 0.9",
    "8, true, 0.1",
    "2, true, 0.1",
    "8, false, 0.1",
    "2, false, 0.3"
  })
  void fiveTimesTheCapacityIsAnsweredAsWellAsTheCapacity(int start, boolean tells, double vary) {
    AdmissionConfig config =
        tells ? startingAt(start) : new AdmissionConfig(start, 256, true, 1, 8, null);
    Rush.Fate unloaded = alone(config, tells, vary, 0.25);
    Rush.Fate once = alone(config, tells, vary, 1);
    Rush.Fate five = alone(config, tells, vary, 5);
    String figures =
        "answered %d at capacity, %d at 5 times; p99 %s unloaded, %s at 5 times"
            .formatted(once.answered, five.answered, unloaded.p99(), five.p99());
    assertTrue(five.answered >= 0.95 * once.answered, figures);
    assertTrue(five.answered >= 0.95 * Rush.perSecondAtMost() * MEASURE.toSeconds(), figures);
    assertTrue(five.p99().toNanos() <= 1.3 * unloaded.p99().toNanos(), figures);
  }

  @Test
  void theRushIsMetWithinSecondsOfItsBeginning() {
    Rush rush = new Rush(startingAt(64), true, 0.1, 3);
    rush.caller("all", Rush.perSecondAtMost());
    rush.run(Duration.ofMinutes(5), Duration.ZERO);
    rush.caller("all", 4 * Rush.perSecondAtMost());
    Rush.Fate fate = rush.run(Duration.ofSeconds(3), Duration.ofSeconds(40)).get("all");
    String figures = fate.p99() + " at a limit of " + rush.limit() + ", answered " + fate.answered;
    assertTrue(fate.p99().toMillis() <= 1.3 * 550, figures);
    assertTrue(fate.answered >= 0.94 * Rush.perSecondAtMost() * 40, figures);
  }

  @ParameterizedTest(name = "light callers use {0} of the capacity, calls vary by {1}")
  @CsvSource({"0.05, 0.1", "0.4, 0.0", "0.4, 0.5", "0.6, 0.9"})
  void oneWhoFloodsTakesNothingFromTheOthers(double light, double vary) {
    Rush rush = new Rush(startingAt(64), true, vary, 11);
    rush.caller("flood", 10 * Rush.perSecondAtMost());
    for (int i = 0; i < 10; i++) {
      rush.caller("light " + i, light / 10 * Rush.perSecondAtMost());
    }
    Map<String, Rush.Fate> fates = rush.run(SETTLE, MEASURE);
    double all = 0;
    for (int i = 0; i < 10; i++) {
      Rush.Fate fate = fates.get("light " + i);
      all += fate.answered;
      // Those that run at the end are offered and not yet answered.
      assertTrue(
          fate.answered >= 0.99 * (fate.offered - 3),
          "light " + i + ": " + fate.share() + fate.refusals);
    }
    double total = all + fates.get("flood").answered;
    assertTrue(
        total >= 0.95 * Rush.perSecondAtMost() * MEASURE.toSeconds(), "answered in all: " + total);
  }
}
