package inferencegateway.http;

/**
 * A client's connections since its start.
 *
 * @param open sockets held now: connecting, busy and idle
 * @param opened sockets ever made
 * @param reused requests that left on a connection that had carried one before
 * @param staleReplays such requests that were sent again because that connection was dead
 * @param aborted exchanges that their callers gave up
 * @param unsolicited idle connections closed because bytes came that nobody had asked for
 */
public record ConnectionCounts(
    long open, long opened, long reused, long staleReplays, long aborted, long unsolicited) {}
