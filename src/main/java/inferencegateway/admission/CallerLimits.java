package inferencegateway.admission;

import org.jspecify.annotations.Nullable;

/**
 * What one caller may take. Null: as much as there is.
 *
 * @param concurrency calls at once, 1 and up; more wait
 * @param requestsPerMinute 1 and up; a minute's worth may come at once
 * @param tokensPerMinute input and output, 1 and up; charged when a call is over
 * @param priority who waits with a higher one goes first
 */
public record CallerLimits(
    @Nullable Integer concurrency,
    @Nullable Integer requestsPerMinute,
    @Nullable Long tokensPerMinute,
    int priority) {

  public static final CallerLimits NONE = new CallerLimits(null, null, null, 0);
}
