package inferencegateway.route;

import inferencegateway.chat.Reason;
import inferencegateway.health.Readiness.Upstream;
import java.time.Duration;

/**
 * Whether a backend is worth sending to: what its probes say, how its last calls went, whether it
 * makes progress.
 *
 * <p>Thread-safe: calls end on every loop, probes answer on a thread of their own, and choosing
 * reads under the gate's lock. Reading takes no lock; changes are rare.
 */
final class Condition {

  /** Calls in a row that fail before a backend is put aside. */
  static final int FAILURES = 5;

  private static final long FIRST_EJECTION = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_EJECTION = Duration.ofSeconds(60).toNanos();

  private volatile Upstream probed = Upstream.UNKNOWN;
  private volatile boolean ejected;
  private volatile boolean wedged;

  /** When probes began to go wrong, or nobody took a connection; by the monotonic clock. */
  private volatile long doubtedAt;

  private volatile boolean doubted;

  /** Guarded by this: whether any probe ever was. */
  private boolean wasGood;

  private int failuresInRow;

  private int ejections;
  private long ejectedUntil;

  /** Written where a call ends well, read by the watchdog: the engine works. */
  private volatile long completedAt;

  private volatile boolean completed;

  boolean isUp() {
    return probed != Upstream.DOWN && !ejected && !wedged;
  }

  Upstream probed() {
    return probed;
  }

  boolean isEjected() {
    return ejected;
  }

  boolean isWedged() {
    return wedged;
  }

  /** True when that changed something. */
  boolean wedged(boolean isWedged) {
    boolean changed = wedged != isWedged;
    wedged = isWedged;
    return changed;
  }

  /** Whether a call came to its good end since then. */
  boolean completedSince(long then) {
    return completed && completedAt - then >= 0;
  }

  /** A call came to its good end. */
  void succeeded(long now) {
    completedAt = now;
    completed = true;
    if (failuresInRow > 0) { // A racy look: a failure that is missed here is counted from one.
      forgive();
    }
  }

  private synchronized void forgive() {
    failuresInRow = 0;
    ejections = 0;
  }

  /**
   * A call failed by the backend's fault.
   *
   * @param mayEject whether enough others are left
   * @return true when that put it aside
   */
  synchronized boolean failed(Reason reason, boolean mayEject, long now) {
    if (reason == Reason.UPSTREAM_CONNECT) {
      doubt(now);
    }
    failuresInRow++;
    if (ejected || failuresInRow < FAILURES || !mayEject) {
      return false;
    }
    ejected = true;
    ejectedUntil = now + Math.min(LONGEST_EJECTION, FIRST_EJECTION << Math.min(ejections, 6));
    ejections++;
    return true;
  }

  /**
   * What its probe found. A good one ends an ejection whose time is over; the next failure then
   * begins a longer one.
   *
   * @return true when it was put aside and is not any more
   */
  synchronized boolean probed(Upstream state, boolean wasGood, long now) {
    probed = state;
    if (!wasGood) {
      doubt(now);
      return false;
    }
    doubted = false;
    this.wasGood = true;
    if (!ejected || now - ejectedUntil < 0) {
      return false;
    }
    ejected = false;
    failuresInRow = FAILURES - 1;
    return true;
  }

  /** The first bad sign after a good one; what was never well cannot be said to stop. */
  private void doubt(long now) {
    if (wasGood && !doubted) {
      doubtedAt = now;
      doubted = true;
    }
  }

  /** Whether it began to fail its probes, or to take no connections, within the last moments. */
  boolean isDoubted(long now, Duration within) {
    return doubted && now - doubtedAt < within.toNanos();
  }
}
