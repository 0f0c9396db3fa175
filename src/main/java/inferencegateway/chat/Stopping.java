package inferencegateway.chat;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What ends an answer besides the model's own end. Null means "not said" and is not sent. */
public record Stopping(
    List<String> stop,
    List<Integer> stopTokenIds,
    @Nullable Boolean includeStopText,
    @Nullable Integer minTokens,
    @Nullable Boolean ignoreEos) {

  public static final Stopping UNSET = new Stopping(List.of(), List.of(), null, null, null);

  public Stopping {
    stop = List.copyOf(stop);
    stopTokenIds = List.copyOf(stopTokenIds);
  }

  /** What holds for the rest when so many tokens are there. */
  Stopping restAfter(int tokens) {
    Integer least = minTokens == null || minTokens <= tokens ? null : minTokens - tokens;
    return new Stopping(stop, stopTokenIds, includeStopText, least, ignoreEos);
  }
}
