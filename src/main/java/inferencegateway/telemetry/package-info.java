/**
 * What is told about calls: one log line each, spans, metrics.
 *
 * <p>Works per call, never per token. Never writes prompts, tokens or keys. Writing never blocks an
 * event loop.
 */
@NullMarked
package inferencegateway.telemetry;

import org.jspecify.annotations.NullMarked;
