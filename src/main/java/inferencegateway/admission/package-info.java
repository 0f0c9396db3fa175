/**
 * How many calls run at once and who waits: concurrency now, rates and deadlines later.
 *
 * <p>A permit is released exactly once. Knows nothing of gRPC. Called from every event loop; a lock
 * guards each backend's counters and queue, and is never held while foreign code runs.
 */
@NullMarked
package inferencegateway.admission;

import org.jspecify.annotations.NullMarked;
