package inferencegateway.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.CallerLimits;
import inferencegateway.config.AdmissionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GateTest {

  private static final Runnable NEVER =
      () -> {
        throw new AssertionError("was not to be told");
      };

  private static final Asking SOMEBODY =
      new Asking("somebody", CallerLimits.NONE, "m", 10, 0, false, false);

  /** One backend behind one gate. */
  private record One(Gate gate, Capacity capacity) {

    static One of(int running, int waiting) {
      return new One(
          new Gate(AdmissionConfig.fixed(running, waiting), () -> false), new Capacity(running));
    }

    Asked ask(Runnable granted) {
      return gate.ask(SOMEBODY, hasRoom -> hasRoom.test(capacity) ? capacity : null, granted);
    }

    Place place(Runnable granted) {
      return assertInstanceOf(Place.class, ask(granted));
    }

    int running() {
      return capacity.running();
    }

    int waiting() {
      return gate.waiting();
    }
  }

  @Test
  void runsUpToTheLimitQueuesUpToTheNextAndRefusesTheRest() {
    One admission = One.of(2, 1);
    assertNotNull(admission.place(NEVER).held());
    assertNotNull(admission.place(NEVER).held());
    assertNull(admission.place(NEVER).held());
    assertInstanceOf(Asked.Refused.class, admission.ask(NEVER));
    assertEquals(2, admission.running());
    assertEquals(1, admission.waiting());
  }

  @Test
  void placesPassToWaitersInOrderOfArrival() {
    One admission = One.of(1, 3);
    List<String> told = new ArrayList<>();
    Place first = admission.place(NEVER);
    Place second = admission.place(() -> told.add("second"));
    Place third = admission.place(() -> told.add("third"));
    first.release();
    assertEquals(List.of("second"), told);
    assertNotNull(second.held());
    assertNull(third.held());
    second.release();
    assertEquals(List.of("second", "third"), told);
  }

  @Test
  void releasingTwiceGivesOnePlaceBack() {
    One admission = One.of(1, 0);
    Place place = admission.place(NEVER);
    place.release();
    place.release();
    assertEquals(0, admission.running());
    assertInstanceOf(Place.class, admission.ask(NEVER));
    assertInstanceOf(Asked.Refused.class, admission.ask(NEVER));
  }

  @Test
  void waiterThatLeavesIsNeverTold() {
    One admission = One.of(1, 2);
    Place held = admission.place(NEVER);
    admission.place(NEVER).release();
    assertEquals(0, admission.waiting());
    held.release();
    assertEquals(0, admission.running());
  }

  @Test
  void noPlaceIsLostOrDoubledUnderRacingCallers() throws InterruptedException {
    One admission = One.of(4, 8);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(4);
    for (int t = 0; t < 4; t++) {
      new Thread(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  visit(admission, inside, most);
                }
                done.countDown();
              })
          .start();
    }
    assertTrue(done.await(20, TimeUnit.SECONDS));
    assertEquals(0, admission.running());
    assertEquals(0, admission.waiting());
    assertTrue(most.get() <= 4, "at most four ran at once, saw " + most);
  }

  private static void visit(One admission, AtomicInteger inside, AtomicInteger most) {
    CountDownLatch granted = new CountDownLatch(1);
    if (!(admission.ask(granted::countDown) instanceof Place place)) {
      return;
    }
    boolean impatient = ThreadLocalRandom.current().nextInt(3) == 0;
    if (place.held() != null || (!impatient && await(granted))) {
      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
      inside.decrementAndGet();
    }
    place.release();
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
