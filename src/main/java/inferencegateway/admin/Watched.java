package inferencegateway.admin;

import inferencegateway.admission.Gate;
import inferencegateway.call.Calls;
import inferencegateway.health.Readiness;
import inferencegateway.load.LoadMeter;
import inferencegateway.route.Routes;
import java.time.Instant;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the figures come from.
 *
 * @param connections callers' connections now
 * @param waitingLimit calls that may wait for each set of backends
 * @param load null: load reports are off
 */
public record Watched(
    String version,
    Instant started,
    Readiness readiness,
    Calls calls,
    Gate gate,
    Routes routes,
    IntSupplier connections,
    int connectionsLimit,
    int waitingLimit,
    @Nullable LoadMeter load,
    Tally tally) {}
