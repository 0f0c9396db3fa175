package inferencegateway.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.config.AdmissionConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpectedWaitTest {

  private static final Duration CALL = Duration.ofSeconds(2);

  @Test
  void withoutMeasurementsNobodyIsRefusedForTheDeadline() {
    Crowd crowd = Crowd.fixed(1, 10);
    crowd.history(7, CALL);
    crowd.place("a");
    crowd.place(crowd.within(Duration.ofMillis(1)));
  }

  @Test
  void aDeadlineBeforeTheFirstTokenCanBeThereIsRefusedWithTheEstimate() {
    Crowd crowd = Crowd.fixed(1, 10);
    crowd.history(20, CALL);
    Failure refusal = crowd.refusal(crowd.within(Duration.ofMillis(500)));
    assertEquals(Reason.DEADLINE_UNREACHABLE, refusal.reason());
    long estimate = Long.parseLong(refusal.facts().get("est_wait_ms"));
    assertTrue(estimate > 750 && estimate <= 1_000, () -> "estimate " + estimate);
    assertNotNull(crowd.place(crowd.within(Duration.ofMillis(1_100))).held());
  }

  @Test
  void theQueueCountsTowardsTheDeadline() {
    Crowd crowd = patient(1, 10);
    crowd.history(20, CALL);
    crowd.fill("a", 3);
    Failure refusal = crowd.refusal(crowd.within(Duration.ofMillis(1_900)));
    assertEquals(Reason.DEADLINE_UNREACHABLE, refusal.reason());
    assertTrue(Long.parseLong(refusal.facts().get("est_wait_ms")) >= 2_000);
    assertNotNull(refusal.retryAfter());
  }

  @Test
  void aWaiterThatCannotMakeItAnyMoreIsRefusedInsteadOfServed() {
    Crowd crowd = patient(1, 10);
    crowd.history(20, CALL);
    Place running = crowd.place("a");
    Place hurried = crowd.place(crowd.within(Duration.ofMillis(3_000)));
    Place patient = crowd.place("b");
    crowd.after(Duration.ofMillis(2_500));
    running.release();
    Failure refusal = hurried.refused();
    assertNotNull(refusal);
    assertEquals(Reason.DEADLINE_UNREACHABLE, refusal.reason());
    assertNotNull(patient.held());
  }

  @Test
  void aStaleEstimateIsTriedBySingleCalls() {
    Crowd crowd = Crowd.fixed(2, 10);
    crowd.history(20, CALL);
    crowd.after(Duration.ofSeconds(11));
    crowd.place(crowd.within(Duration.ofMillis(500))).release();
    assertEquals(
        Reason.DEADLINE_UNREACHABLE, crowd.refusal(crowd.within(Duration.ofMillis(500))).reason());
    crowd.after(Duration.ofMinutes(5));
    crowd.place(crowd.within(Duration.ofMillis(500)));
    crowd.place(crowd.within(Duration.ofMillis(500)));
  }

  @Test
  void modelsAreMeasuredApart() {
    Crowd crowd = Crowd.fixed(1, 10);
    crowd.history(20, CALL);
    long deadline = crowd.now() + Duration.ofMillis(500).toNanos();
    Asking other = new Asking("a", CallerLimits.NONE, "small", 1, deadline, true, false);
    assertNotNull(crowd.place(other).held());
  }

  @Test
  void whoWouldWaitLongIsRefusedAtOnce() {
    Crowd crowd = Crowd.fixed(10, 100);
    crowd.history(20, CALL);
    for (int i = 0; i < 10; i++) {
      crowd.place("a");
      crowd.after(Duration.ofMillis(200));
    }
    // One ends every 200 ms, and 15 % of a call is 300 ms.
    crowd.insist("a", 100);
    crowd.fill("a", 1);
    Failure refusal = crowd.refusal(Crowd.by("a"));
    assertEquals(Reason.CONCURRENCY_LIMIT, refusal.reason());
    assertEquals("400", refusal.facts().get("est_wait_ms"));
  }

  @Test
  void callsThatBeganTogetherEndTogether() {
    Crowd crowd = Crowd.fixed(10, 100);
    crowd.history(20, CALL);
    crowd.fill("a", 10);
    crowd.insist("a", 100);
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("a")).reason());
    crowd.after(Duration.ofMillis(1_500));
    crowd.place("a");
  }

  @Test
  void aLightCallerIsNotRefusedForTheCrowdOfAnother() {
    Crowd crowd = Crowd.fixed(4, 100);
    crowd.history(20, CALL);
    crowd.fill("flood", 4);
    crowd.insist("flood", 100);
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("flood")).reason());
    assertNull(crowd.place("light").held());
    assertEquals(List.of(), crowd.told);
  }

  @Test
  void aBurstIsNotRefusedAtOnce() {
    Crowd crowd = Crowd.fixed(10, 100);
    crowd.history(20, CALL);
    crowd.fill("a", 20);
    assertEquals(10, crowd.gate.waiting());
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("a")).reason());
  }

  @Test
  void aCrowdOfManyIsACrowdToo() {
    Crowd crowd = Crowd.fixed(10, 100);
    crowd.history(20, CALL);
    crowd.fill("a", 10);
    for (int i = 0; i < 200; i++) {
      crowd.ask(Crowd.by("one of many " + i));
    }
    crowd.after(Duration.ofMillis(201));
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("one more")).reason());
  }

  @Test
  void theOperatorMayAllowLongWaits() {
    Crowd crowd = patient(1, 100);
    crowd.history(20, CALL);
    crowd.fill("a", 20);
    assertEquals(19, crowd.gate.waiting());
  }

  /** One whose operator does not mind waiting. */
  private static Crowd patient(int running, int waiting) {
    return Crowd.of(new AdmissionConfig(running, waiting, false, 1, running, Duration.ofHours(1)));
  }
}
