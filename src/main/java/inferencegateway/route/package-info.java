/**
 * Which backend serves a call, and under which name of the model.
 *
 * <p>Holds the graph of backends and models, replaces it when its file changes, knows how each
 * backend is, chooses among those that serve a model, and says where a call may go when one fails.
 * Never contacts a backend itself. Choosing is callable from everywhere; opening and closing
 * backends from any thread but a loop.
 */
@NullMarked
package inferencegateway.route;

import org.jspecify.annotations.NullMarked;
