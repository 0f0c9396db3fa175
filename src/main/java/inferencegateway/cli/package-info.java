/**
 * The commands of the jar: {@code serve}, {@code demo}, {@code generate}, {@code health}, {@code
 * simulate}.
 *
 * <p>Talks to people: arguments in, words and exit codes out. How a gateway is put together is the
 * root's business.
 */
@NullMarked
package inferencegateway.cli;

import org.jspecify.annotations.NullMarked;
