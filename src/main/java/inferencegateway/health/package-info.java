/**
 * Whether the gateway would answer now: probes of the backend, the states of {@code
 * grpc.health.v1}, frozen while draining.
 *
 * <p>Decides readiness, never refuses a call. Probes run on a thread of their own; a check is
 * answered from memory.
 */
@NullMarked
package inferencegateway.health;

import org.jspecify.annotations.NullMarked;
