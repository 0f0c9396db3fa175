/**
 * What an operator sees of a running gateway, and the one thing to be done there: ending a call.
 *
 * <p>Reads what the other rooms know, at the moment it is asked; keeps nothing but a count of ended
 * calls. Runs on the admin port's own loop, never on a call's.
 */
@NullMarked
package inferencegateway.admin;

import org.jspecify.annotations.NullMarked;
