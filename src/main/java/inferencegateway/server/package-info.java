/**
 * The listeners, gRPC's and that of metrics: addresses, TLS, limits, keep-alive, drain.
 *
 * <p>Decides which connections are taken and how they end. Never looks into a call.
 */
@NullMarked
package inferencegateway.server;

import org.jspecify.annotations.NullMarked;
