/**
 * Tools that the tests share: a client that misbehaves at the level of HTTP/2 frames, a proxy that
 * misbehaves at the level of TCP, callers made from the published contracts, and bounded waiting.
 * They know gRPC and HTTP/2 but nothing of the gateway's own classes.
 */
@NullMarked
package inferencegateway.testing;

import org.jspecify.annotations.NullMarked;
