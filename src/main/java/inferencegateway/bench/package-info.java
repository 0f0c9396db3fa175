/**
 * What the gateway costs, measured: the command {@code bench}.
 *
 * <p>Starts a simulator, a gateway and a byte-copying proxy as processes of their own, so that each
 * one's processor time can be read from outside, puts the same load on both, and compares. Only the
 * root knows this room. Load runs on loops of its own; the command's thread waits between marks.
 */
@NullMarked
package inferencegateway.bench;

import org.jspecify.annotations.NullMarked;
