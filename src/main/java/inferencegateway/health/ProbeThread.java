package inferencegateway.health;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daemon thread of all probers, started by the first step. */
public final class ProbeThread implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ProbeThread.class);

  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(
          1, ProbeThread::daemon, new ThreadPoolExecutor.DiscardPolicy());

  /** One prober's use of the thread; stopping it stops that prober only. */
  Schedule share() {
    return new Share();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "backend-probe");
    thread.setDaemon(true);
    return thread;
  }

  private final class Share implements Schedule {

    /** Set by any thread; a step looks before it begins. */
    private volatile boolean stopped;

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // steps catch what they call; nobody waits
    public void after(Duration delay, Runnable step) {
      executor.schedule(() -> runUnlessStopped(step), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void runUnlessStopped(Runnable step) {
      if (stopped) {
        return;
      }
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        // A prober plans its next step within the present one: without it, it would stand still.
        log.warn("A step of a probe failed; it is done again", e);
        after(AGAIN, step);
      }
    }

    @Override
    public void stop() {
      stopped = true;
    }
  }
}
