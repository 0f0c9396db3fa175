package inferencegateway.upstream;

/**
 * What an inference server says of its own work.
 *
 * @param running calls in its batch
 * @param waiting calls in its queue
 * @param cache share of the KV cache in use, 0 to 1; -1 where it does not say
 */
public record EngineLoad(double running, double waiting, double cache) {}
