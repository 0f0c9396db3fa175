/**
 * What the gateway tells balancers of its own load, in the words of ORCA (gRFC A51): with every
 * answer, and beside the calls for those who ask.
 *
 * <p>Decides what counts as load; never sends a call anywhere by it. Figures are taken by a thread
 * of their own, so that an answer only carries the latest.
 */
@NullMarked
package inferencegateway.load;

import org.jspecify.annotations.NullMarked;
