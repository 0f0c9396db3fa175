package inferencegateway.call;

import inferencegateway.chat.TimeLimits;
import inferencegateway.config.CallConfig;
import inferencegateway.http.CallLoop;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a call may take in all: {@code max-call-time}, or less where the caller says so.
 *
 * <p>The caller's own deadline is the context's business too: the library resets the stream when it
 * passes, which tells the caller CANCELLED if its own timer is later. So what there is to say is
 * said shortly before; where it cannot get through, the reset still comes.
 *
 * <p>Thread: the call's loop.
 */
final class CallCap {

  /**
   * A partial answer leaves so long before the caller's deadline, or the deadline's reset would
   * overtake it.
   */
  private static final long PARTIAL_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A status leaves so long before the deadline's reset, or a tenth of the time that there is. */
  private static final long STATUS_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final int TENTH = 10;

  private final CallLoop loop;
  private final CallConfig limits;
  private final CallClock clock;
  private final Runnable passed;
  private CallLoop.@Nullable Timer timer;
  private final @Nullable Deadline deadline;
  private final long lead;
  private boolean isCallersOwn;

  CallCap(CallLoop loop, CallConfig limits, Context context, CallClock clock, Runnable passed) {
    this.loop = loop;
    this.limits = limits;
    this.deadline = context.getDeadline();
    this.lead = Math.min(STATUS_LEAD_NANOS, Math.max(0, untilDeadline() / TENTH));
    this.clock = clock;
    this.passed = passed;
  }

  void start() {
    passAfter(Math.min(limits.maxCallTime().toNanos(), untilDeadline() - lead));
  }

  /** Where there is none, longer than anything. */
  private long untilDeadline() {
    return deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }

  /** Whether what has passed is the caller's deadline. */
  boolean isDeadline() {
    return untilDeadline() <= lead;
  }

  /** The request is known now, and may ask for less. */
  void shorten(TimeLimits asked) {
    if (asked.total() == null && !asked.partialAnswer()) {
      return;
    }
    long left = limits.maxCallTime().toNanos();
    if (asked.total() != null) {
      left = Math.min(left, asked.total().toNanos());
    }
    left -= clock.sinceArrival();
    long before = asked.partialAnswer() ? PARTIAL_LEAD_NANOS : lead;
    left = Math.min(left, untilDeadline() - before);
    isCallersOwn = true;
    passAfter(left);
  }

  /**
   * The call is over, but its stream is not, since nobody takes its last data: it has the rest of
   * {@code max-call-time} for that. A limit that the caller set on the answer does not limit the
   * taking of it.
   */
  void linger() {
    if (timer == null || isCallersOwn) {
      long left = limits.maxCallTime().toNanos() - clock.sinceArrival();
      passAfter(Math.max(left, limits.slowCallerStall().toNanos()));
    }
  }

  void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void passAfter(long nanos) {
    stop();
    timer = loop.schedule(Duration.ofNanos(Math.max(0, nanos)), this::pass);
  }

  private void pass() {
    timer = null;
    passed.run();
  }
}
