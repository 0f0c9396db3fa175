package inferencegateway.api;

import org.jspecify.annotations.Nullable;

/**
 * A request as it was read: the message, or the mark that its bytes were no such message. The
 * library would answer UNKNOWN and log a stack trace for the second; with the mark the handler
 * answers.
 *
 * @param message null when the bytes were malformed
 */
record Incoming<Q>(@Nullable Q message) {}
