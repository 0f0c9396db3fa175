package inferencegateway.call;

import inferencegateway.chat.Delta;
import org.jspecify.annotations.Nullable;

/**
 * Deltas that came while the caller was not ready, merged into one. Bounded by what one read from
 * the network holds, since reading stops while anything waits here.
 */
final class Backlog {

  private @Nullable Delta single;
  private @Nullable StringBuilder text;
  private @Nullable StringBuilder reasoning;

  boolean isEmpty() {
    return single == null;
  }

  void add(Delta delta) {
    if (single == null) {
      single = delta;
    } else if (text == null || reasoning == null) {
      text = new StringBuilder(single.text()).append(delta.text());
      reasoning = new StringBuilder(single.reasoning()).append(delta.reasoning());
    } else {
      text.append(delta.text());
      reasoning.append(delta.reasoning());
    }
  }

  /** Everything in order, as one; the backlog is empty afterwards. Null when it was. */
  @Nullable Delta take() {
    Delta all =
        text == null || reasoning == null
            ? single
            : new Delta(text.toString(), reasoning.toString());
    single = null;
    text = null;
    reasoning = null;
    return all;
  }
}
