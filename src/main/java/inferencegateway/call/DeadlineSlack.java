package inferencegateway.call;

import java.util.concurrent.TimeUnit;

/**
 * A client's timer may go off before the gateway's, and its reset come first: so close to the
 * deadline a cancel is no change of mind.
 *
 * <p>How close: gRPC's C core (C++, Python, Ruby, PHP) rounds the timeout that it sends up to two
 * or three digits, which makes the gateway's deadline up to a hundredth later than the client's; 50
 * ms are for the way and a busy machine.
 */
final class DeadlineSlack {

  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int ROUNDED_TO = 100;

  private DeadlineSlack() {}

  /**
   * @param left until the deadline, in nanoseconds; negative when it has passed
   * @param given from the call's arrival to the deadline
   */
  static boolean isDue(long left, long given) {
    return left <= Math.max(LEAST_NANOS, given / ROUNDED_TO);
  }
}
