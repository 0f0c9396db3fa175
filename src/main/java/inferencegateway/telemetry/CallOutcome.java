package inferencegateway.telemetry;

/**
 * How calls end, told apart so that a caller that leaves is never counted against the backend.
 * Words of log and metrics.
 */
public enum CallOutcome {
  OK("ok"),
  /** The caller left. */
  CLIENT_CANCEL("client_cancel"),
  /** The caller's deadline passed. */
  CLIENT_DEADLINE("client_deadline"),
  /** The caller stopped reading. */
  SLOW_CONSUMER("slow_consumer"),
  /** Refused here for what it asked. */
  INVALID("invalid"),
  /** Refused here for whose it is. */
  DENIED("denied"),
  /** Refused here for want of room. */
  SHED("shed"),
  /** Cut by a time limit of ours. */
  TIME_LIMIT("time_limit"),
  /** Cut because the gateway stops. */
  DRAINED("drained"),
  /** Ended through the admin port. */
  OPERATOR_CANCEL("operator_cancel"),
  UPSTREAM_4XX("upstream_4xx"),
  UPSTREAM_5XX("upstream_5xx"),
  /** No connection, a broken one, or an answer that broke off. */
  UPSTREAM_RESET("upstream_reset"),
  /** The backend stopped making progress. */
  STALLED("stalled"),
  BUG("bug");

  private final String word;

  CallOutcome(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
