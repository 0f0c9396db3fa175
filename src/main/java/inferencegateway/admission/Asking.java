package inferencegateway.admission;

/**
 * What admission has to know of a call that asks for a place.
 *
 * @param caller whose call it is; calls of one caller share its fair part
 * @param deadline on the clock of {@link System#nanoTime}; compare by difference only
 * @param hasDeadline whether the caller set one
 * @param retried whether the caller has tried this call before
 */
public record Asking(String caller, long deadline, boolean hasDeadline, boolean retried) {}
