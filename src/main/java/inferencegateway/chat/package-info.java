/**
 * The words that both contracts and the upstream share: what is asked, what comes back, how it can
 * fail.
 *
 * <p>Plain immutable values. Knows nothing of gRPC, HTTP or JSON, decides nothing, runs on no
 * thread of its own: everything here may be read from anywhere.
 */
@NullMarked
package inferencegateway.chat;

import org.jspecify.annotations.NullMarked;
