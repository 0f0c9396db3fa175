/**
 * A vLLM-shaped HTTP server with faults on request: behind {@code simulate} and {@code demo}, tests
 * and benchmarks.
 *
 * <p>Shares no code with the rest of the gateway, so that neither hides the other's mistakes. Runs
 * on loops of its own.
 */
@NullMarked
package inferencegateway.simulator;

import org.jspecify.annotations.NullMarked;
