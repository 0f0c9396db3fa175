/**
 * One call from admission to its single ending: permit, deadline, limits, flow control,
 * cancellation, outcome, and the one table that turns a failure into a gRPC status.
 *
 * <p>Knows neither stubs nor OpenAI. Everything runs on the event loop that owns the caller's
 * connection and the upstream one.
 */
@NullMarked
package inferencegateway.call;

import org.jspecify.annotations.NullMarked;
