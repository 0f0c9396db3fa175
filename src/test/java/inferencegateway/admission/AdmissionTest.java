package inferencegateway.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.AdmissionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AdmissionTest {

  private static final Runnable NEVER =
      () -> {
        throw new AssertionError("was not to be told");
      };

  @Test
  void runsUpToTheLimitQueuesUpToTheNextAndRefusesTheRest() {
    Admission admission = new Admission(new AdmissionConfig(2, 1));
    assertTrue(admission.ask(NEVER).orElseThrow().isHeld());
    assertTrue(admission.ask(NEVER).orElseThrow().isHeld());
    assertFalse(admission.ask(NEVER).orElseThrow().isHeld());
    assertTrue(admission.ask(NEVER).isEmpty());
    assertEquals(2, admission.running());
    assertEquals(1, admission.waiting());
  }

  @Test
  void placesPassToWaitersInOrderOfArrival() {
    Admission admission = new Admission(new AdmissionConfig(1, 3));
    List<String> told = new ArrayList<>();
    Admission.Place first = admission.ask(NEVER).orElseThrow();
    Admission.Place second = admission.ask(() -> told.add("second")).orElseThrow();
    Admission.Place third = admission.ask(() -> told.add("third")).orElseThrow();
    first.release();
    assertEquals(List.of("second"), told);
    assertTrue(second.isHeld());
    assertFalse(third.isHeld());
    second.release();
    assertEquals(List.of("second", "third"), told);
  }

  @Test
  void releasingTwiceGivesOnePlaceBack() {
    Admission admission = new Admission(new AdmissionConfig(1, 0));
    Admission.Place place = admission.ask(NEVER).orElseThrow();
    place.release();
    place.release();
    assertEquals(0, admission.running());
    assertTrue(admission.ask(NEVER).isPresent());
    assertTrue(admission.ask(NEVER).isEmpty());
  }

  @Test
  void waiterThatLeavesIsNeverTold() {
    Admission admission = new Admission(new AdmissionConfig(1, 2));
    Admission.Place held = admission.ask(NEVER).orElseThrow();
    admission.ask(NEVER).orElseThrow().release();
    assertEquals(0, admission.waiting());
    held.release();
    assertEquals(0, admission.running());
  }

  @Test
  void noPlaceIsLostOrDoubledUnderRacingCallers() throws InterruptedException {
    Admission admission = new Admission(new AdmissionConfig(4, 8));
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

  private static void visit(Admission admission, AtomicInteger inside, AtomicInteger most) {
    CountDownLatch granted = new CountDownLatch(1);
    Optional<Admission.Place> asked = admission.ask(granted::countDown);
    if (asked.isEmpty()) {
      return;
    }
    Admission.Place place = asked.get();
    boolean impatient = ThreadLocalRandom.current().nextInt(3) == 0;
    if (place.isHeld() || (!impatient && await(granted))) {
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
