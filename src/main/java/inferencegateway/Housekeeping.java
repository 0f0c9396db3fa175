package inferencegateway;

import inferencegateway.call.Watchdog;
import inferencegateway.route.Fleet;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has to be looked at again and again, away from the loops. */
final class Housekeeping implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  /** As connections' own names: after so long an address may be another one. */
  private static final Duration NAMES = Duration.ofSeconds(5);

  private static final Duration TIDY = Duration.ofSeconds(1);

  private final Fleet fleet;
  private final CertificateWatch certificates;
  private final Watchdog watchdog;

  /** Two threads: a name server that does not answer must not hold up the watchdog. */
  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(2, Housekeeping::daemon);

  Housekeeping(Fleet fleet, CertificateWatch certificates, Watchdog watchdog) {
    this.fleet = fleet;
    this.certificates = certificates;
    this.watchdog = watchdog;
  }

  void start() {
    every(watchdog.period(), watchdog.period(), watchdog::look);
    every(TIDY, TIDY, fleet::tidy);
    every(CertificateWatch.PERIOD, CertificateWatch.PERIOD, certificates::look);
    every(Duration.ZERO, NAMES, fleet::lookUp);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // steps catch what goes wrong; nobody waits
  private void every(Duration first, Duration period, Runnable step) {
    threads.scheduleWithFixedDelay(
        () -> guarded(step), first.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) { // One that gets out ends every turn to come.
      LOG.error("housekeeping failed; it is tried again", e);
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "housekeeping");
    thread.setDaemon(true);
    return thread;
  }

  /** A step under way is waited for: it may use the loops. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(2, TimeUnit.SECONDS)) {
        LOG.debug("a look-up still runs");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
