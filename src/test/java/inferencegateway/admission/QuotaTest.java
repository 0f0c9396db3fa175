package inferencegateway.admission;

import static inferencegateway.auth.CallerLimits.NO_LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class QuotaTest {

  private final Crowd crowd = Crowd.fixed(100, 0);

  private static Asking requests(int perMinute) {
    return Crowd.by("limited", new CallerLimits(0, NO_LIMIT, NO_LIMIT, perMinute, NO_LIMIT));
  }

  private static Asking tokens(int perMinute) {
    return Crowd.by("limited", new CallerLimits(0, NO_LIMIT, NO_LIMIT, NO_LIMIT, perMinute));
  }

  private Duration refusedFor(Asking asking) {
    Failure failure = crowd.refusal(asking);
    assertEquals(Reason.QUOTA, failure.reason());
    Duration pause = failure.retryAfter();
    assertNotNull(pause);
    return pause;
  }

  @Test
  void requestsAreCountedByTheMinute() {
    for (int i = 0; i < 6; i++) {
      crowd.place(requests(6)).release();
    }
    Duration pause = refusedFor(requests(6));
    assertTrue(pause.toMillis() >= 10_000 && pause.toMillis() < 10_500, pause::toString);
    crowd.after(pause);
    crowd.place(requests(6));
    refusedFor(requests(6));
  }

  @Test
  void aCallThatMovesIsCountedOnce() {
    Asking asking = requests(1);
    crowd.place(asking).release();
    crowd.place(asking.onceMore()).release();
    refusedFor(asking);
  }

  @Test
  void tokensAreChargedAfterwardsAndDebtIsWaitedOut() {
    Place place = crowd.place(tokens(600));
    place.charge(1_199);
    place.release();
    Duration pause = refusedFor(tokens(600));
    assertTrue(pause.toSeconds() >= 60 && pause.toSeconds() <= 62, pause::toString);
    crowd.after(pause);
    crowd.place(tokens(600));
  }

  @Test
  void aRefusedCallCostsNothing() {
    Crowd full = Crowd.fixed(1, 0);
    full.place("other");
    for (int i = 0; i < 10; i++) {
      assertEquals(Reason.CONCURRENCY_LIMIT, full.refusal(requests(2)).reason());
    }
  }

  @Test
  void othersAreNotConcerned() {
    crowd.place(requests(1));
    refusedFor(requests(1));
    assertInstanceOf(Place.class, crowd.ask(Crowd.by("other")));
  }

  @Test
  void aRaisedLimitCountsAtOnce() {
    crowd.place(requests(1)).release();
    refusedFor(requests(1));
    crowd.place(requests(10));
  }

  @Test
  void theSubjectDoesNotNameTheCaller() {
    crowd.place(requests(1));
    Failure failure = crowd.refusal(requests(1));
    String subject = failure.facts().get("caller");
    assertNotNull(subject);
    assertTrue(subject.matches("caller:[0-9a-f]{12}"), subject);
    assertFalse(failure.toString().contains("limited,"), failure::toString);
    assertEquals("1 requests/min", failure.facts().get("limit"));
  }

  @Test
  void aCallerWithoutDebtIsForgotten() {
    crowd.place(requests(60)).release();
    assertEquals(1, crowd.gate.callers());
    crowd.after(Duration.ofSeconds(1));
    crowd.place(requests(60)).release();
    crowd.after(Duration.ofSeconds(1));
    Place last = crowd.place(Crowd.by("limited"));
    last.release();
    assertEquals(0, crowd.gate.callers());
  }
}
