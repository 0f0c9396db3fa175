package inferencegateway.metrics;

import inferencegateway.http.ConnectionCounts;
import inferencegateway.route.Backend;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where states are looked up when somebody reads; asked from the reader's thread.
 *
 * @param backends those of the routes now
 * @param upstream a backend's connections; null where it has none any more
 * @param certificateEnds by file, in seconds of Unix time
 * @param state one of {@code Readiness.WORDS}
 */
public record Sources(
    Supplier<List<Backend>> backends,
    Function<Backend, @Nullable ConnectionCounts> upstream,
    Supplier<String> state,
    IntSupplier inFlight,
    IntSupplier waiting,
    IntSupplier connections,
    LongSupplier connectionsRefused,
    LongSupplier handshakesFailed,
    Supplier<Map<String, Long>> certificateEnds,
    IntSupplier watches,
    LongSupplier requestBytes,
    LongSupplier directUsed,
    LongSupplier directLimit,
    LongSupplier logDropped,
    LongSupplier scrapesTurnedAway) {}
