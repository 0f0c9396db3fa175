/**
 * Who runs now, who waits, who is refused: concurrency that follows the backend, a queue that is
 * fair between callers, deadlines, rates.
 *
 * <p>A place is released exactly once. Knows nothing of gRPC. Called from every event loop; one
 * lock guards all counts and queues, and no foreign code runs under it but {@link
 * inferencegateway.admission.Candidates#choose}.
 */
@NullMarked
package inferencegateway.admission;

import org.jspecify.annotations.NullMarked;
