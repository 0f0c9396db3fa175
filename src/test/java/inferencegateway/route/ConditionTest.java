package inferencegateway.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.Reason;
import inferencegateway.health.Readiness.Upstream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConditionTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Condition condition = new Condition();
  private long now = -SECOND;

  private void fails(int times) {
    for (int i = 0; i < times; i++) {
      condition.failed(Reason.UPSTREAM_RESET, true, now);
    }
  }

  private void goodProbe() {
    condition.probed(Upstream.UP, true, now);
  }

  /** In whole seconds, probed each second. */
  private int secondsUntilUp() {
    for (int i = 0; i < 200; i++) {
      goodProbe();
      if (condition.isUp()) {
        return i;
      }
      now += SECOND;
    }
    return -1;
  }

  @Test
  void fiveFailuresInARowPutItAside() {
    fails(4);
    condition.succeeded(now);
    fails(4);
    assertTrue(condition.isUp());
    fails(1);
    assertFalse(condition.isUp());
  }

  @Test
  void aGoodProbeBringsItBackButNotBeforeItsTime() {
    fails(5);
    assertEquals(1, secondsUntilUp());
  }

  @Test
  void eachTimeItIsPutAsideForLonger() {
    fails(5);
    assertEquals(1, secondsUntilUp());
    for (int expected : new int[] {2, 4, 8, 16, 32, 60, 60}) {
      fails(1);
      assertEquals(expected, secondsUntilUp());
    }
    condition.succeeded(now);
    fails(5);
    assertEquals(1, secondsUntilUp());
  }

  @Test
  void withoutOthersItStays() {
    for (int i = 0; i < 50; i++) {
      assertFalse(condition.failed(Reason.UPSTREAM_CONNECT, false, now));
    }
    assertTrue(condition.isUp());
  }

  @Test
  void badProbesRaiseDoubtForAMoment() {
    condition.probed(Upstream.DOWN, false, now);
    assertFalse(condition.isDoubted(now, Duration.ofSeconds(3)), "it never was well");
    goodProbe();
    condition.probed(Upstream.UP, false, now);
    assertTrue(condition.isDoubted(now, Duration.ofSeconds(3)));
    assertFalse(condition.isDoubted(now + 3 * SECOND, Duration.ofSeconds(3)));
    goodProbe();
    assertFalse(condition.isDoubted(now, Duration.ofSeconds(3)));
  }
}
