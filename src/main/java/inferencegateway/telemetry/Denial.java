package inferencegateway.telemetry;

import inferencegateway.chat.Reason;
import io.opentelemetry.context.Context;

/**
 * A call that was refused for whose it is.
 *
 * @param reason UNAUTHENTICATED or PERMISSION_DENIED
 * @param caller its name; empty where it is not known
 * @param credential what kind of credential an unknown caller showed, never any of it; empty for
 *     known ones
 * @param model the one asked for; empty where it has not come to that
 * @param why more of it, for the operator; may be empty
 * @param traceContext what it is part of
 */
public record Denial(
    Reason reason,
    String requestId,
    String caller,
    String credential,
    String peer,
    String method,
    String model,
    String why,
    Context traceContext) {}
