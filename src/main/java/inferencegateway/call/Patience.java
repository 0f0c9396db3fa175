package inferencegateway.call;

import inferencegateway.chat.TimeLimits;
import inferencegateway.config.CallConfig;
import inferencegateway.http.CallLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long one answer is waited for: its first token, its next one, and a caller that takes
 * nothing. The shorter of the gateway's limit and the caller's holds.
 *
 * <p>Thread: the call's loop, but for {@link #silence}.
 */
final class Patience {

  private final CallLoop loop;
  private final CallConfig limits;
  private final Silence silence;
  private final Runnable stalled;
  private TimeLimits asked = TimeLimits.UNSET;
  private CallLoop.@Nullable Timer stall;

  /**
   * @param silent no token came in time
   * @param stalled the caller took nothing in time
   */
  Patience(CallLoop loop, CallConfig limits, Runnable silent, Runnable stalled) {
    this.loop = loop;
    this.limits = limits;
    this.silence = new Silence(loop, silent);
    this.stalled = stalled;
  }

  void follow(TimeLimits callers) {
    asked = callers;
  }

  void waitForFirstToken() {
    silence.watch(shorter(limits.firstTokenTimeout(), asked.firstToken()));
  }

  void waitForNextToken() {
    silence.watch(shorter(limits.gapTimeout(), asked.gap()));
  }

  /** Whether no shorter limit of the caller's holds between tokens. */
  boolean isGapOurs() {
    return asked.gap() == null || limits.gapTimeout().compareTo(asked.gap()) <= 0;
  }

  private static Duration shorter(Duration ours, @Nullable Duration theirs) {
    return theirs == null || ours.compareTo(theirs) < 0 ? ours : theirs;
  }

  /** Waits anew for a caller that takes nothing. */
  void waitForCaller() {
    stopWaitingForCaller();
    stall = loop.schedule(limits.slowCallerStall(), stalled);
  }

  void stopWaitingForCaller() {
    if (stall != null) {
      stall.cancel();
      stall = null;
    }
  }

  /** Somebody else is to answer. */
  void startOver() {
    silence.startOver();
    stopWaitingForCaller();
  }

  void stop() {
    silence.stop();
    stopWaitingForCaller();
  }

  /** What it reads may be read from any thread. */
  Silence silence() {
    return silence;
  }
}
