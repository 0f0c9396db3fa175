package inferencegateway.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RetryBudgetTest {

  private final AtomicLong now = new AtomicLong(-5);
  private final RetryBudget budget = new RetryBudget(now::get);

  private int retriesOf(int wanted) {
    int allowed = 0;
    for (int i = 0; i < wanted; i++) {
      allowed += budget.mayRetry() ? 1 : 0;
    }
    return allowed;
  }

  @Test
  void aFewAreAlwaysAllowed() {
    assertEquals(3, retriesOf(100));
  }

  @Test
  void aFifthOfTheCallsIsAllowed() {
    for (int i = 0; i < 1_000; i++) {
      budget.called();
    }
    assertEquals(200, retriesOf(1_000));
  }

  @Test
  void rescuesMayBeAsManyAsCallsRunAndLeaveNothingForRetries() {
    for (int i = 0; i < 40; i++) {
      assertTrue(budget.mayRescue(40));
    }
    assertFalse(budget.mayRescue(40));
    assertFalse(budget.mayRetry());
  }

  @Test
  void whatIsLongPastDoesNotCount() {
    for (int i = 0; i < 1_000; i++) {
      budget.called();
    }
    now.addAndGet(Duration.ofSeconds(6).toNanos());
    assertTrue(budget.mayRetry());
    assertEquals(199, retriesOf(1_000));
    now.addAndGet(Duration.ofSeconds(11).toNanos());
    assertEquals(3, retriesOf(1_000));
    now.addAndGet(Duration.ofSeconds(6).toNanos());
    assertFalse(budget.mayRetry());
  }
}
