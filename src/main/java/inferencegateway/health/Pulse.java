package inferencegateway.health;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one thing again and again, on a daemon thread of its own. */
public final class Pulse implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Pulse.class);

  private final String name;
  private final Duration interval;
  private final Runnable work;
  private final ScheduledThreadPoolExecutor executor;

  public Pulse(String name, Duration interval, Runnable work) {
    this.name = name;
    this.interval = interval;
    this.work = work;
    this.executor = new ScheduledThreadPoolExecutor(1, this::daemon);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the work catches what it meets
  public void start() {
    executor.scheduleWithFixedDelay(
        this::beat, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void beat() {
    try {
      work.run();
    } catch (RuntimeException | Error e) { // One that gets out ends every beat to come.
      log.warn("{} failed; it goes on", name, e);
    }
  }

  private Thread daemon(Runnable run) {
    Thread thread = new Thread(run, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
