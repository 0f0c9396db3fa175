package inferencegateway.server;

import inferencegateway.config.DrainConfig;
import inferencegateway.config.Durations;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops a server so that nobody notices.
 *
 * <pre>
 *   not ready, still serving   drain.pause   load balancers look elsewhere
 *   no new calls               drain.grace   GOAWAY; running calls end by themselves
 *   running calls are ended    2 s at most   their status gets out
 *   everything is closed       1 s at most
 * </pre>
 *
 * <p>After the pause it moves on as soon as no connection is left. Thread: {@link #run} blocks the
 * one that asks to stop, never an event loop; {@link #stopNow} may come from any other.
 */
public final class Drain {

  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private static final Duration FLUSH = Duration.ofSeconds(2);
  private static final Duration CLOSE = Duration.ofSeconds(1);
  private static final Duration GLANCE = Duration.ofMillis(20);

  /**
   * What others do on the way; none may block.
   *
   * @param markDraining readiness goes off for good
   * @param completeWatches health streams are ended, which would otherwise last
   * @param endRunningCalls every call that still runs is ended with SHUTTING_DOWN
   */
  public record Steps(Runnable markDraining, Runnable completeWatches, Runnable endRunningCalls) {}

  private final DrainConfig config;
  private final Stoppable server;
  private final Steps steps;
  private final Pace pace;
  private volatile boolean hurried;

  public Drain(DrainConfig config, GrpcListener listener, Steps steps) {
    this(config, listener, steps, Pace.REAL);
  }

  Drain(DrainConfig config, Stoppable server, Steps steps, Pace pace) {
    this.config = config;
    this.server = server;
    this.steps = steps;
    this.pace = pace;
  }

  /** Goes through all of it, once, and returns when the server has ended. */
  public void run() {
    log.info("Stopping: not ready any more, still serving for {}", Durations.text(config.pause()));
    attempt(steps.markDraining());
    linger(config.pause(), () -> false);

    log.info("Stopping: no new calls; running ones have {}", Durations.text(config.grace()));
    server.shutdown();
    attempt(steps.completeWatches());
    linger(config.grace(), server::isTerminated);

    if (!server.isTerminated()) {
      log.info("Stopping: ending the calls that still run");
      attempt(steps.endRunningCalls());
      linger(FLUSH, server::isTerminated);
      server.shutdownNow();
      await(CLOSE, server::isTerminated);
    }
    log.info("Stopped");
  }

  /** Skips every wait but the last: calls are still told, then all is closed. */
  public void stopNow() {
    hurried = true;
  }

  private void linger(Duration limit, BooleanSupplier over) {
    await(limit, () -> hurried || over.getAsBoolean());
  }

  private void await(Duration limit, BooleanSupplier over) {
    long end = pace.nanoTime() + limit.toNanos();
    try {
      while (!over.getAsBoolean()) {
        long left = end - pace.nanoTime();
        if (left <= 0) {
          return;
        }
        pace.sleep(left < GLANCE.toNanos() ? Duration.ofNanos(left) : GLANCE);
      }
    } catch (InterruptedException e) {
      hurried = true;
      Thread.currentThread().interrupt();
    }
  }

  /** A step that fails must not keep the process from stopping. */
  private static void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      log.warn("A step of the stop failed; going on", e);
    }
  }
}
