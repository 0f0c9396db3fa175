/**
 * The OpenAI/vLLM dialect: request bodies out; chunks, completions, model lists and error objects
 * in.
 *
 * <p>Decides what counts as an answer, as its end, and as which failure. Knows neither gRPC nor
 * Netty; bytes come and go through {@code http}. Runs on the call's event loop, except for large
 * bodies, which a small worker pool writes.
 */
@NullMarked
package inferencegateway.upstream;

import org.jspecify.annotations.NullMarked;
