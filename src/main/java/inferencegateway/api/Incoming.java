package inferencegateway.api;

import inferencegateway.chat.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A request as it was read: the message, or what is wrong with its bytes. The library would answer
 * UNKNOWN and log a stack trace for the second; so the handler answers.
 *
 * @param message null when there is a fault
 * @param fault null when there is a message
 */
record Incoming<Q>(@Nullable Q message, @Nullable Failure fault) {}
