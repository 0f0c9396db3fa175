package inferencegateway.server;

/** A server as the drain sees it. */
interface Stoppable {

  /** Takes no new connection and no new call; running ones go on. Returns at once. */
  void shutdown();

  /** Closes what is left. Returns at once. */
  void shutdownNow();

  /** Shut down, and no connection left. */
  boolean isTerminated();
}
