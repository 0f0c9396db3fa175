/**
 * Which backend serves a model, and under which name.
 *
 * <p>Decides the model of a call that names none. Never contacts a backend itself. Callable from
 * everywhere.
 */
@NullMarked
package inferencegateway.route;

import org.jspecify.annotations.NullMarked;
