package inferencegateway.cli;

import java.time.Duration;

/** A gateway that takes calls, or is on its way to its end. Callable from any thread. */
public interface RunningGateway extends AutoCloseable {

  /** Where gRPC calls are taken. */
  int port();

  /** Of the second, health-only port; -1 without one. */
  int healthPort();

  /** Of the page of metrics; -1 without one. */
  int metricsPort();

  /** Of the admin service; -1 without one. */
  int adminPort();

  /** Reads the files that it follows again soon; what is wrong with them is logged. */
  void reload();

  /** Whether it became ready within the time. */
  boolean awaitReady(Duration most) throws InterruptedException;

  /** Drains as configured, then stops; returns when all is over. More than once is harmless. */
  void drainAndStop();

  /** Ends everything at once, also while draining. More than once is harmless. */
  void stopNow();

  /** Returns when a stop is over, by whomever it was asked for. */
  void awaitTermination() throws InterruptedException;

  /** As {@link #stopNow}. */
  @Override
  void close();
}
