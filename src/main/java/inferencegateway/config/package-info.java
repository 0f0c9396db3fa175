/**
 * What can be set: immutable records with their defaults, units and checks, and the reading of
 * flags, environment and file.
 *
 * <p>Decides which value is in force and where it came from; reports every problem at once. Opens
 * no sockets, knows nothing of gRPC or OpenAI. Runs once, on the starting thread.
 */
@NullMarked
package inferencegateway.config;

import org.jspecify.annotations.NullMarked;
