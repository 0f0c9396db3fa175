package inferencegateway.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.CallerLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitTest {

  private static final Duration LOOK = Duration.ofSeconds(1);

  private static void told(Crowd crowd, double running, double waiting, double cache) {
    crowd.after(LOOK);
    crowd.gate.told(crowd.capacity, running, waiting, cache);
  }

  @Test
  void findsTheSlotsOfABackendThatTellsItsQueue() {
    Crowd crowd = Crowd.adaptive(64, 1, 64);
    crowd.fill("a", 64);
    told(crowd, 8, 56, 0.5);
    assertEquals(64, crowd.capacity.limit());
    told(crowd, 8, 56, 0.5);
    assertEquals(8, crowd.capacity.limit());
    told(crowd, 8, 56, 0.5);
    assertEquals(8, crowd.capacity.limit());
  }

  @Test
  void aMomentInTheQueueIsNoQueue() {
    Crowd crowd = Crowd.adaptive(64, 1, 64);
    crowd.fill("a", 40);
    for (int i = 0; i < 20; i++) {
      told(crowd, 38, 2, 0.5);
    }
    assertEquals(64, crowd.capacity.limit());
  }

  @Test
  void takesItsShareOnlyOfABackendThatOthersUseToo() {
    Crowd crowd = Crowd.adaptive(20, 1, 20);
    crowd.fill("a", 20);
    told(crowd, 10, 30, -1);
    told(crowd, 10, 30, -1);
    assertEquals(5, crowd.capacity.limit());
  }

  @Test
  void aQueueOfOthersThatGiveNoWayDoesNotStarveIt() {
    Crowd crowd = Crowd.adaptive(20, 1, 20);
    running.addAll(crowd.fill("a", 20));
    for (int i = 0; i < 60; i++) {
      told(crowd, 8, 40, 0.5);
      releaseDownToTheLimit(crowd);
    }
    assertEquals(3, crowd.capacity.limit());
    for (int i = 0; i < 30; i++) {
      told(crowd, crowd.capacity.running(), 0, 0.5);
      releaseDownToTheLimit(crowd);
    }
    assertEquals(20, crowd.capacity.limit(), "they have gone");
  }

  @Test
  void whileItsCallsEndItIsNotMadeSmallerStill() {
    Crowd crowd = Crowd.adaptive(64, 1, 64);
    running.addAll(crowd.fill("a", 64));
    told(crowd, 8, 56, 0.5);
    for (int i = 0; i < 20; i++) {
      told(crowd, 8, crowd.capacity.running() - 8, 0.5);
      running.remove(running.size() - 1).release();
    }
    assertEquals(8, crowd.capacity.limit());
  }

  @Test
  void growsWhileAllOfItIsUsedAndNothingWaitsThere() {
    Crowd crowd = Crowd.adaptive(2, 1, 10);
    crowd.fill("a", 12);
    List<Integer> limits = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      told(crowd, crowd.capacity.running(), 0, 0.1);
      limits.add(crowd.capacity.limit());
    }
    assertEquals(List.of(3, 5, 9, 10), limits);
    assertEquals(10, crowd.capacity.running());
  }

  @Test
  void doesNotGrowWhenThereIsNoNeed() {
    Crowd crowd = Crowd.adaptive(4, 1, 10);
    crowd.fill("a", 3);
    for (int i = 0; i < 5; i++) {
      told(crowd, 3, 0, 0.1);
    }
    assertEquals(4, crowd.capacity.limit());
  }

  @Test
  void doesNotGrowIntoAFullCacheAndShrinksWhenItOverflows() {
    Crowd crowd = Crowd.adaptive(40, 1, 80);
    crowd.fill("a", 40);
    told(crowd, 40, 0, 0.92);
    assertEquals(40, crowd.capacity.limit());
    told(crowd, 40, 0, 0.99);
    assertEquals(38, crowd.capacity.limit());
  }

  @Test
  void asksForMoreLessAndLessOftenWhereItWasInVain() {
    Crowd crowd = Crowd.adaptive(9, 1, 20);
    running.addAll(crowd.fill("a", 9));
    int secondsAboveEight = 0;
    for (int i = 0; i < 200; i++) {
      int there = crowd.capacity.running();
      told(crowd, Math.min(8, there), Math.max(0, there - 8), 0.5);
      secondsAboveEight += there > 8 ? 1 : 0;
      releaseDownToTheLimit(crowd);
    }
    int seconds = secondsAboveEight;
    assertTrue(seconds > 2 && seconds < 20, () -> "seconds above eight: " + seconds);
  }

  private final List<Place> running = new ArrayList<>();

  private void releaseDownToTheLimit(Crowd crowd) {
    while (crowd.capacity.running() < crowd.capacity.limit()) {
      running.add(crowd.place("b"));
    }
    while (crowd.capacity.running() > crowd.capacity.limit() && !running.isEmpty()) {
      running.remove(running.size() - 1).release();
    }
  }

  @Test
  void waitersRunAsSoonAsTheLimitGrows() {
    Crowd crowd = Crowd.adaptive(1, 1, 2);
    crowd.fill("a", 2);
    told(crowd, 1, 0, 0.1);
    assertEquals(List.of("a"), crowd.told);
  }

  @Test
  void shrinksWhenFirstTokensTakeLongerThanUsual() {
    Crowd crowd = Crowd.adaptive(10, 2, 10);
    answer(crowd, 40, Duration.ofMillis(50), 100);
    assertEquals(10, crowd.capacity.limit());
    answer(crowd, 60, Duration.ofMillis(400), 100);
    int limit = crowd.capacity.limit();
    assertTrue(limit < 10 && limit >= 2, () -> "limit " + limit);
  }

  @Test
  void longPromptsAreNoSignOfAQueue() {
    Crowd crowd = Crowd.adaptive(10, 2, 10);
    answer(crowd, 40, Duration.ofMillis(50), 100);
    answer(crowd, 60, Duration.ofMillis(400), 50_000);
    assertEquals(10, crowd.capacity.limit());
  }

  @Test
  void growsByLatencyWhereTheBackendTellsNothing() {
    Crowd crowd = Crowd.adaptive(10, 2, 12);
    answer(crowd, 60, Duration.ofMillis(50), 100);
    assertEquals(11, crowd.capacity.limit());
  }

  @Test
  void aRefusalByTheBackendShrinksIt() {
    Crowd crowd = Crowd.adaptive(10, 2, 10);
    List<Place> all = crowd.fill("a", 10);
    all.get(0).pushedBack();
    all.get(1).pushedBack();
    assertEquals(9, crowd.capacity.limit());
  }

  @Test
  void aFixedLimitStays() {
    Crowd crowd = Crowd.fixed(10, 10);
    crowd.fill("a", 10).get(0).pushedBack();
    told(crowd, 1, 9, 1);
    told(crowd, 1, 9, 1);
    assertEquals(10, crowd.capacity.limit());
  }

  /** Ten at once, all of them answered after that time. */
  private static void answer(Crowd crowd, int calls, Duration firstToken, long promptChars) {
    Asking asking = new Asking("a", CallerLimits.NONE, "m", promptChars, 0, false, false);
    for (int i = 0; i < calls / 10; i++) {
      List<Place> places = new ArrayList<>();
      for (int j = 0; j < 10; j++) {
        places.add(crowd.place(asking));
      }
      crowd.after(firstToken);
      places.forEach(
          place -> {
            if (place.held() != null) {
              place.firstToken();
            }
          });
      crowd.after(Duration.ofMillis(200));
      places.forEach(Place::release);
    }
  }

  @Test
  void aRefusalWhileLittleRunsTakesHalfAndIsForgottenWhenItDoesNotBind() {
    Crowd crowd = Crowd.adaptive(64, 1, 64);
    crowd.fill("a", 1).get(0).pushedBack();
    assertEquals(32, crowd.capacity.limit());
    crowd.after(Duration.ofSeconds(6));
    crowd.fill("a", 1);
    assertEquals(64, crowd.capacity.limit());
  }

  @Test
  void manyRefusalsAreForgottenInAFewSteps() {
    Crowd crowd = Crowd.adaptive(256, 1, 256);
    for (int i = 0; i < 5; i++) {
      Place refused = crowd.fill("a", 1).get(0);
      refused.pushedBack();
      refused.release();
      crowd.after(Duration.ofMillis(600));
    }
    assertEquals(8, crowd.capacity.limit());
    crowd.after(Duration.ofSeconds(5));
    int seconds = 0;
    while (crowd.capacity.limit() < 256 && seconds < 30) {
      crowd.fill("a", 1).forEach(Place::release);
      crowd.after(Duration.ofSeconds(1));
      seconds++;
    }
    assertTrue(seconds <= 6, "seconds: " + seconds);
  }
}
