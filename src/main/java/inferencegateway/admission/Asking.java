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
 * @param again whether the call has had a place before: it is counted once, however often it moves
 */
public record Asking(
    String caller,
    CallerLimits limits,
    String model,
    long promptChars,
    long deadline,
    boolean hasDeadline,
    boolean retried,
    boolean again) {

  public Asking(
      String caller,
      CallerLimits limits,
      String model,
      long promptChars,
      long deadline,
      boolean hasDeadline,
      boolean retried) {
    this(caller, limits, model, promptChars, deadline, hasDeadline, retried, false);
  }

  /** The same call, which now asks for another place. */
  public Asking onceMore() {
    return new Asking(caller, limits, model, promptChars, deadline, hasDeadline, retried, true);
  }

  /** Nanoseconds until the deadline; without one, for ever. */
  long left(long now) {
    return hasDeadline ? deadline - now : Long.MAX_VALUE;
  }
}
