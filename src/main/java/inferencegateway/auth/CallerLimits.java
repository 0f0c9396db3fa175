package inferencegateway.auth;

/**
 * How much one caller may have.
 *
 * @param priority -10 to 10; higher goes first while calls wait
 * @param concurrency calls at once
 * @param waiting calls that wait for a place
 * @param requestsPerMinute calls begun a minute
 * @param tokensPerMinute tokens a minute, charged when they are known
 */
public record CallerLimits(
    int priority, int concurrency, int waiting, int requestsPerMinute, int tokensPerMinute) {

  /** In place of a number: the caller itself has no such limit. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  public static final CallerLimits NONE =
      new CallerLimits(0, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT);
}
