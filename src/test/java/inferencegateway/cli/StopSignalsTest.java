package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StopSignalsTest {

  /** A signal that nobody else in this process cares for. */
  private static final List<String> HARMLESS = List.of("WINCH");

  @Test
  void firstSignalStopsAndSecondEndsWhileTheStopStillRuns() throws InterruptedException {
    CountDownLatch stopping = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    BlockingQueue<Integer> ended = new ArrayBlockingQueue<>(4);
    Runnable stop =
        () -> {
          stopping.countDown();
          awaitQuietly(release);
        };
    StopSignals signals = StopSignals.install(stop, ended::add, HARMLESS);
    try (signals) {
      assertFalse(signals.asked());
      Signals.raise("WINCH");
      assertTrue(stopping.await(5, TimeUnit.SECONDS));
      assertTrue(signals.asked());
      assertTrue(ended.isEmpty());
      Signals.raise("WINCH");
      Integer code = ended.poll(1, TimeUnit.SECONDS);
      assertNotNull(code);
      assertEquals(128 + 28, code);
    } finally {
      release.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
