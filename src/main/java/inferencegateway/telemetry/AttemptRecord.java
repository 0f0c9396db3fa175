package inferencegateway.telemetry;

import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt at a backend came to. A call has several where the first failed; only the last
 * of them is what the call came to.
 *
 * @param backend its name
 * @param outcome the attempt's own; of one that was broken off with its call, the call's
 * @param reason null for a good end or a caller that left
 * @param phase where it ended
 * @param traceContext the call's
 */
public record AttemptRecord(
    String backend,
    CallOutcome outcome,
    @Nullable Reason reason,
    Phase phase,
    Context traceContext) {}
