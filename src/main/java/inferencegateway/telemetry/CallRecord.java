package inferencegateway.telemetry;

import inferencegateway.chat.Phase;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * What one call came to; made once, when it is over. Times in nanoseconds, -1 where the point was
 * never reached.
 *
 * @param caller the name it is known by; empty where callers are not told apart
 * @param outcome one of the closed set in {@link CallOutcome}
 * @param code the gRPC status as the caller sees it, "CANCELLED" where nobody is left to see it
 * @param reason ErrorInfo reason; null for a good end or a caller that left
 * @param phase where it ended
 * @param model in the caller's word, known or not; else what it was given; empty when it did not
 *     come to that
 * @param sentModel the backend's word for it; empty when it was sent to none
 * @param backend the name of the last one that it was sent to; empty when it was sent to none
 * @param reused whether the upstream connection had been used before
 * @param attempts 0 when nothing was sent, 2 after the replay of a stale connection
 * @param rescued how often another backend went on with an answer whose backend had died
 * @param moved how often the call was sent to another backend before any output
 * @param fallbacks how often it went on to another model
 * @param queueNanos waiting for a place; -1 where it was not waited for one, or refused at once
 * @param prefillNanos from the request's leaving to the first token, or to the end where none came;
 *     -1 where the answer was not to be streamed by the backend
 * @param traceContext the call's span; where none is made, the caller's; else the root
 */
public record CallRecord(
    String requestId,
    String method,
    String peer,
    String caller,
    String model,
    String sentModel,
    String backend,
    CallOutcome outcome,
    String code,
    @Nullable String reason,
    Phase phase,
    @Nullable String finish,
    int inputTokens,
    int outputTokens,
    boolean exactUsage,
    int deltas,
    long queueNanos,
    long prefillNanos,
    long firstTokenNanos,
    long totalNanos,
    long pausedNanos,
    boolean reused,
    int attempts,
    int rescued,
    int moved,
    int fallbacks,
    @Nullable String detail,
    Context traceContext) {}
