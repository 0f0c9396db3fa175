package inferencegateway.simulator;

import java.util.Map;
import java.util.OptionalLong;

/**
 * One request as the simulator saw it. Times are {@link System#nanoTime()}.
 *
 * @param connection distinct for each connection: two requests with the same number came over the
 *     same one
 * @param headers lower-case names; several values joined by a comma
 * @param firstToken when the first token was written, or generated where the answer is not streamed
 * @param end when the simulator was done with it, however it ended
 * @param disconnect when the client was seen to leave before it had its whole answer
 * @param aborted whether it was given up unfinished, by the client's leaving or the simulator's
 *     stop
 * @param tokens written so far; generated so far where the answer is not streamed
 * @param continued whether it asked to go on with its last message
 */
public record RecordedRequest(
    long connection,
    String method,
    String path,
    Map<String, String> headers,
    String body,
    long arrival,
    OptionalLong firstToken,
    OptionalLong end,
    OptionalLong disconnect,
    boolean aborted,
    int tokens,
    boolean continued) {}
