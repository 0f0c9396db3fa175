package inferencegateway.chat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits that the caller asked for, beside its deadline. Null means "not said": the gateway's own
 * limit holds.
 *
 * @param partialAnswer whether a limit that passes ends the call OK with the text so far
 */
public record TimeLimits(
    @Nullable Duration firstToken,
    @Nullable Duration gap,
    @Nullable Duration total,
    boolean partialAnswer) {

  public static final TimeLimits UNSET = new TimeLimits(null, null, null, false);
}
