package inferencegateway.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an answer ended.
 *
 * @param finish the backend's own word
 * @param firstToken by the gateway's clock, from the call's arrival; null: it did not say
 */
record Ending(
    String model,
    String finish,
    int inputTokens,
    int outputTokens,
    @Nullable Duration firstToken) {}
