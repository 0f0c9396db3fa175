package inferencegateway.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Counts what arrives. Written by the load's loops, read by the command's thread. */
final class Meter {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongAdder tokens = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final Recorder delays = new Recorder(LONGEST_NANOS, 3);

  /** The text of one message: tokens as the simulator stamps them, one or several. */
  void text(String stamps) {
    int at = 0;
    while (at < stamps.length() && stamps.charAt(at) == ' ') {
      long stamp = 0;
      for (at++; at < stamps.length() && Character.isDigit(stamps.charAt(at)); at++) {
        stamp = stamp * 10 + (stamps.charAt(at) - '0');
      }
      token(stamp);
    }
  }

  /**
   * @param stamp when the simulator wrote it
   */
  void token(long stamp) {
    tokens.increment();
    long delay = System.nanoTime() - stamp;
    delays.recordValue(Math.max(0, Math.min(delay, LONGEST_NANOS)));
  }

  void answered() {
    calls.increment();
  }

  void failed() {
    failures.increment();
  }

  long tokens() {
    return tokens.sum();
  }

  long calls() {
    return calls.sum();
  }

  long failures() {
    return failures.sum();
  }

  /** In nanoseconds, since this was last asked. */
  Histogram delays() {
    return delays.getIntervalHistogram();
  }
}
