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
 * How long a call may take in all: {@code max-call-time}, or less where the caller says so. The
 * caller's own deadline is the context's business, but for partial answers, which must be out
 * before it.
 *
 * <p>Thread: the call's loop.
 */
final class CallCap {

  /**
   * A partial answer leaves so long before the caller's deadline, or the deadline's reset would
   * overtake it.
   */
  private static final long PARTIAL_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final CallLoop loop;
  private final CallConfig limits;
  private final Context context;
  private final CallClock clock;
  private final Runnable passed;
  private CallLoop.@Nullable Timer timer;
  private boolean isCallersOwn;

  CallCap(CallLoop loop, CallConfig limits, Context context, CallClock clock, Runnable passed) {
    this.loop = loop;
    this.limits = limits;
    this.context = context;
    this.clock = clock;
    this.passed = passed;
  }

  void start() {
    passAfter(limits.maxCallTime().toNanos());
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
    Deadline deadline = context.getDeadline();
    if (asked.partialAnswer() && deadline != null) {
      left = Math.min(left, deadline.timeRemaining(TimeUnit.NANOSECONDS) - PARTIAL_LEAD_NANOS);
    }
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
