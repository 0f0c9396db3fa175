package inferencegateway.call;

import java.util.concurrent.TimeUnit;

/**
 * A client's timer may go off before the gateway's, and its reset come first: so close to the
 * deadline a cancel is no change of mind.
 *
 * <p>How close: gRPC's C core (C++, Python, Ruby, PHP) rounds the timeout that it sends up to two
 * or three digits, which makes the gateway's deadline up to a hundredth later than the client's.
 * And the gateway's begins when it reads the call: in a burst of 2,000 on two busy cores 1.4 s
 * after the client's. Whoever gives up in the last moments before a deadline is taken for late.
 */
final class DeadlineSlack {

  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long READ_LATE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int READ_LATE_AT_MOST = 10;
  private static final int ROUNDED_TO = 100;

  private DeadlineSlack() {}

  /**
   * Whether so little is left that the deadline has as good as passed.
   *
   * @param left until the deadline, in nanoseconds; negative when it has passed
   * @param given from the call's arrival to the deadline
   */
  static boolean isDue(long left, long given) {
    long readLate = Math.min(READ_LATE_NANOS, given / READ_LATE_AT_MOST);
    return left <= Math.max(LEAST_NANOS, Math.max(readLate, given / ROUNDED_TO));
  }
}
