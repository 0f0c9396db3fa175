package inferencegateway.health;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The prober's own daemon thread, started by its first step. */
final class ProbeThread implements Schedule {

  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(
          1, ProbeThread::daemon, new ThreadPoolExecutor.DiscardPolicy());

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // steps catch what they call; nobody waits for them
  public void after(Duration delay, Runnable step) {
    executor.schedule(step, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void stop() {
    executor.shutdownNow();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "backend-probe");
    thread.setDaemon(true);
    return thread;
  }
}
