package inferencegateway.telemetry;

/** Hears what calls come to. */
@FunctionalInterface
public interface CallListener {

  /** Once a call, at its end, on its loop. Must not block. */
  void over(CallRecord call);

  /** An attempt of a call at a backend is over. Before {@link #over}; likewise. */
  default void attempted(AttemptRecord attempt) {}

  /**
   * Nobody waited for the call any more, and its connection to the backend is closed now. After
   * {@link #over}, on the call's loop; never where there was no such connection.
   *
   * @param nanos since it was seen that the caller had left
   */
  default void upstreamClosed(CallRecord call, long nanos) {}
}
