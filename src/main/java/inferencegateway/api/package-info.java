/**
 * The gRPC services: proto to {@code chat} and back, and the check of what a caller may ask.
 *
 * <p>Decides which field is wrong and how it is called in the caller's own message. Never contacts
 * a backend, never sees Netty. Handlers run on the connection's event loop and must not block.
 */
@NullMarked
package inferencegateway.api;

import org.jspecify.annotations.NullMarked;
