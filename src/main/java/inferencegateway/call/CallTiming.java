package inferencegateway.call;

/**
 * Where a call's time went, in nanoseconds since its arrival; -1 for a point that was not reached
 * or not seen.
 *
 * @param queue waiting for a place
 * @param prefill from the request's leaving to the first delta of a streamed answer, or to the end
 *     where none came
 * @param firstToken until the first delta of a streamed answer
 * @param total until the end
 */
public record CallTiming(long queue, long prefill, long firstToken, long total) {}
