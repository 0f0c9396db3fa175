package inferencegateway.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MeterTest {

  private final Meter meter = new Meter();

  @Test
  void countsEveryTokenOfAMergedMessage() {
    long now = System.nanoTime();
    meter.text(" " + now + " " + now + " " + now);
    assertEquals(3, meter.tokens());
    assertEquals(3, meter.delays().getTotalCount());
  }

  @Test
  void anEmptyMessageIsNoToken() {
    meter.text("");
    assertEquals(0, meter.tokens());
  }

  @Test
  void delayRunsFromTheStampOn() {
    meter.token(System.nanoTime() - 5_000_000);
    assertTrue(meter.delays().getMinValue() >= 4_900_000);
  }
}
