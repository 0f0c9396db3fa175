/**
 * Who calls, and what that caller may do.
 *
 * <p>Decides whose a call is, from a certificate or a key, and whether a caller may call a method
 * and use a model. Knows no gRPC, no file format and no other room. Everything is immutable and
 * callable from everywhere.
 */
@NullMarked
package inferencegateway.auth;

import org.jspecify.annotations.NullMarked;
