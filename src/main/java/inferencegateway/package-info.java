/**
 * Where it starts and where it is put together: every room is made here, top to bottom, and closed
 * in reverse.
 */
@NullMarked
package inferencegateway;

import org.jspecify.annotations.NullMarked;
