/**
 * The HTTP/1.1 client: event loops, connections, the pool of each loop, server-sent events, and
 * every fault of the wire.
 *
 * <p>Decides when a connection may be used again and the one replay of a stale one. Never knows
 * what a body means. All of an exchange runs on the event loop it was started on; {@link
 * inferencegateway.http.Exchange} says what may come from elsewhere.
 */
@NullMarked
package inferencegateway.http;

import org.jspecify.annotations.NullMarked;
