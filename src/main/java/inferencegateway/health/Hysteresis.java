package inferencegateway.health;

import inferencegateway.health.Readiness.Upstream;
import inferencegateway.upstream.ProbeAnswer.Kind;

/**
 * When probes change the mind: up after one good probe, down after several bad ones in a row.
 *
 * <p>Two kinds of failure leave no doubt and count at once: the backend does not take our key, or
 * nobody listens any more right after it answered a call with 5xx (an engine that died takes its
 * server down a few seconds later). Before the first good probe there is nothing to hold on to, so
 * any failure means down.
 */
final class Hysteresis {

  private final int failuresToDown;
  private Upstream state = Upstream.UNKNOWN;
  private int failuresInRow;

  Hysteresis(int failuresToDown) {
    this.failuresToDown = failuresToDown;
  }

  Upstream state() {
    return state;
  }

  /** The last probe was bad, whatever the state still is: time to look more often. */
  boolean inDoubt() {
    return failuresInRow > 0;
  }

  void good() {
    failuresInRow = 0;
    state = Upstream.UP;
  }

  /**
   * @param afterServerError whether a call was answered 5xx a moment ago
   */
  void bad(Kind kind, boolean afterServerError) {
    failuresInRow++;
    boolean certain = kind == Kind.AUTH || (kind == Kind.REFUSED && afterServerError);
    if (state != Upstream.UP || certain || failuresInRow >= failuresToDown) {
      state = Upstream.DOWN;
    }
  }
}
