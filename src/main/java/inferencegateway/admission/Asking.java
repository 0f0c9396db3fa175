package inferencegateway.admission;

import inferencegateway.auth.CallerLimits;

/**
 * What admission has to know of a call that asks for a place.
 *
 * @param caller whose call it is; calls of one caller share its fair part
 * @param limits the caller's
 * @param model as it will be asked for upstream
 * @param promptChars how much there is to read before the first token, about
 * @param deadline on the clock of {@link System#nanoTime}; compare by difference only
 * @param hasDeadline whether the caller set one
 * @param retried whether the caller has tried this call before
 */
public record Asking(
    String caller,
    CallerLimits limits,
    String model,
    long promptChars,
    long deadline,
    boolean hasDeadline,
    boolean retried) {

  /** Nanoseconds until the deadline; without one, for ever. */
  long left(long now) {
    return hasDeadline ? deadline - now : Long.MAX_VALUE;
  }
}
