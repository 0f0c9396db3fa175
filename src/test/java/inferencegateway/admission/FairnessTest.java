package inferencegateway.admission;

import static inferencegateway.auth.CallerLimits.NO_LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import inferencegateway.auth.CallerLimits;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairnessTest {

  @Test
  void thoseWhoHaveLeastRunningAreServedFirst() {
    Crowd crowd = Crowd.fixed(4, 10);
    List<Place> running = crowd.fill("flood", 4);
    crowd.fill("flood", 3);
    crowd.place("light");
    running.get(0).release();
    assertEquals(List.of("light"), crowd.told);
    running.get(1).release();
    assertEquals(List.of("light", "flood"), crowd.told);
  }

  @Test
  void equalCallersTakeTurns() {
    Crowd crowd = Crowd.fixed(1, 10);
    Place first = crowd.place("a");
    List<Place> waiting = new ArrayList<>(crowd.fill("a", 3));
    waiting.addAll(crowd.fill("b", 3));
    first.release();
    for (int i = 0; i < 5; i++) {
      waiting.stream().filter(place -> place.held() != null).findFirst().orElseThrow().release();
    }
    assertEquals(List.of("a", "b", "a", "b", "a", "b"), crowd.told);
  }

  @Test
  void higherPriorityGoesFirst() {
    Crowd crowd = Crowd.fixed(1, 10);
    Place first = crowd.place("a");
    crowd.place("a");
    crowd.place(Crowd.by("urgent", new CallerLimits(5, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT)));
    first.release();
    assertEquals(List.of("urgent"), crowd.told);
  }

  @Test
  void aFullQueueMakesRoomForALighterCaller() {
    Crowd crowd = Crowd.fixed(1, 3);
    crowd.fill("flood", 3);
    Place newest = crowd.place("flood");
    Place light = crowd.place("light");
    assertNull(light.held());
    Failure displaced = newest.refused();
    assertNotNull(displaced);
    assertEquals(Reason.CONCURRENCY_LIMIT, displaced.reason());
    assertEquals(List.of("flood"), crowd.told);
    assertEquals(3, crowd.gate.waiting());
    newest.release();
    assertEquals(3, crowd.gate.waiting());
  }

  @Test
  void aFullQueueMakesNoRoomForOneOfTheHeaviest() {
    Crowd crowd = Crowd.fixed(1, 2);
    crowd.fill("a", 2);
    crowd.place("b");
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("a")).reason());
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.by("b")).reason());
    assertEquals(List.of(), crowd.told);
  }

  @Test
  void aFullQueueMakesRoomForHigherPriorityButNotForLower() {
    Crowd crowd = Crowd.fixed(1, 1);
    crowd.place("a");
    Place waiting = crowd.place("a");
    Asking lower = Crowd.by("low", new CallerLimits(-1, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT));
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(lower).reason());
    crowd.place(Crowd.by("high", new CallerLimits(1, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT)));
    assertNotNull(waiting.refused());
  }

  @Test
  void aCallerAtItsOwnLimitWaitsWhileOthersRun() {
    Crowd crowd = Crowd.fixed(4, 10);
    Asking limited = Crowd.by("limited", new CallerLimits(0, 1, NO_LIMIT, NO_LIMIT, NO_LIMIT));
    Place first = crowd.place(limited);
    Place second = crowd.place(limited);
    assertNull(second.held());
    assertNotNull(crowd.place("other").held());
    first.release();
    assertEquals(List.of("limited"), crowd.told);
    assertNotNull(second.held());
    second.release();
    assertEquals(1, crowd.capacity.running());
  }

  @Test
  void aCallerAtItsOwnLimitDoesNotHoldUpTheQueue() {
    Crowd crowd = Crowd.fixed(2, 10);
    Asking limited = Crowd.by("limited", new CallerLimits(0, 1, NO_LIMIT, NO_LIMIT, NO_LIMIT));
    crowd.place(limited);
    Place other = crowd.place("other");
    crowd.place(limited);
    Place waiting = crowd.place("third");
    other.release();
    assertNotNull(waiting.held());
    assertEquals(List.of("third"), crowd.told);
  }

  @Test
  void retriesAreRefusedBeforeFirstAttempts() {
    Crowd crowd = Crowd.fixed(1, 4);
    crowd.fill("a", 3);
    assertEquals(Reason.CONCURRENCY_LIMIT, crowd.refusal(Crowd.retry("b")).reason());
    assertInstanceOf(Place.class, crowd.ask(Crowd.by("b")));
  }

  @Test
  void shortOfMemoryNobodyComesIn() {
    Crowd crowd = Crowd.fixed(1, 1);
    crowd.shortOfMemory = true;
    assertEquals(Reason.MEMORY_PRESSURE, crowd.refusal(Crowd.by("a")).reason());
    crowd.shortOfMemory = false;
    assertNotNull(crowd.place("a").held());
  }

  @Test
  void waitersForOneBackendDoNotHoldUpThoseForAnother() {
    Crowd crowd = Crowd.fixed(1, 10);
    Capacity other = new Capacity(1);
    crowd.place("a");
    crowd.place("a");
    Place there =
        (Place)
            crowd.gate.ask(Crowd.by("b"), hasRoom -> hasRoom.test(other) ? other : null, () -> {});
    Place waiting =
        (Place)
            crowd.gate.ask(
                Crowd.by("c"),
                hasRoom -> hasRoom.test(other) ? other : null,
                () -> crowd.told.add("c"));
    assertNull(waiting.held());
    there.release();
    assertEquals(other, waiting.held());
    assertEquals(List.of("c"), crowd.told);
  }

  @Test
  void callersThatHaveNothingAreForgotten() {
    Crowd crowd = Crowd.fixed(2, 1);
    List<Place> all = new ArrayList<>(crowd.fill("a", 2));
    all.add(crowd.place("a"));
    all.add(crowd.place("b"));
    crowd.refusal(Crowd.by("c"));
    assertEquals(2, crowd.gate.callers());
    all.forEach(Place::release);
    all.forEach(Place::release);
    assertEquals(0, crowd.gate.callers());
    assertEquals(0, crowd.gate.waiting());
    assertEquals(0, crowd.capacity.running());
  }
}
