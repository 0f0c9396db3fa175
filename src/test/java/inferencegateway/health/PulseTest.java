package inferencegateway.health;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PulseTest {

  @Test
  void goesOnWhateverItsWorkThrows() throws InterruptedException {
    CountDownLatch beats = new CountDownLatch(4);
    try (Pulse pulse =
        new Pulse(
            "test",
            Duration.ofMillis(1),
            () -> {
              beats.countDown();
              if (beats.getCount() % 2 == 0) {
                throw new InternalError("no files are left");
              }
              throw new IllegalStateException("a fault");
            })) {
      pulse.start();
      assertTrue(beats.await(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void aProbersNextStepComesThoughTheLastOneBroke() throws InterruptedException {
    CountDownLatch steps = new CountDownLatch(2);
    try (ProbeThread thread = new ProbeThread()) {
      thread
          .share()
          .after(
              Duration.ZERO,
              () -> {
                steps.countDown();
                throw new OutOfMemoryError("for a moment");
              });
      assertTrue(steps.await(10, TimeUnit.SECONDS));
    }
  }
}
