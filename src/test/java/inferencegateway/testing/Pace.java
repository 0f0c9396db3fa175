package inferencegateway.testing;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Something done at a steady pace on a thread of its own, until closed or until it fails. */
public final class Pace implements AutoCloseable {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "test-pace");
            thread.setDaemon(true);
            return thread;
          });

  private Pace() {}

  public static Pace start(Duration interval, Runnable step) {
    Pace pace = new Pace();
    pace.timer.scheduleAtFixedRate(
        step, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    return pace;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
