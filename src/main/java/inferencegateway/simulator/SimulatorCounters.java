package inferencegateway.simulator;

/**
 * A look at the engine.
 *
 * @param running answers in a slot now
 * @param waiting requests in the queue now
 * @param finished answers generated to their end
 * @param aborted answers given up because the client left, queued ones included
 * @param faulted answers ended by a fault on request
 * @param tokens generated in all
 * @param disconnects clients that left before they had their whole answer
 * @param connections open now
 */
public record SimulatorCounters(
    int running,
    int waiting,
    long finished,
    long aborted,
    long faulted,
    long tokens,
    long disconnects,
    long connections) {}
