package inferencegateway.chat;

import org.jspecify.annotations.Nullable;

/**
 * Tokens of one call.
 *
 * @param cachedInput of the input, found in the prefix cache; null where the backend does not say
 * @param reasoning of the output, spent on reasoning; null where the backend does not say
 * @param exact true for the backend's own numbers, false for deltas counted here
 */
public record Usage(
    int input,
    int output,
    int total,
    @Nullable Integer cachedInput,
    @Nullable Integer reasoning,
    boolean exact) {

  public static Usage counted(int deltas) {
    return new Usage(0, deltas, deltas, null, null, false);
  }
}
