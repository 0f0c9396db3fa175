package inferencegateway.simulator;

import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * When one answer's tokens are due. Each due time is counted from the one before it and not from
 * when that one was served, so a late timer delays one token and not all that follow.
 */
final class Pace {

  private final long timeToFirstToken;
  private final long interToken;
  private final double jitter;
  private final SplittableRandom random = new SplittableRandom();
  private long due;

  /**
   * @param asked between two tokens of this answer; null: as configured
   */
  Pace(SimulatorConfig config, @Nullable Duration asked) {
    timeToFirstToken = config.timeToFirstToken().toNanos();
    interToken = (asked == null ? config.interToken() : asked).toNanos();
    jitter = config.jitter();
  }

  boolean isFlatOut() {
    return interToken == 0;
  }

  /** The first token's due time is counted from now. */
  void start() {
    due = System.nanoTime() + varied(timeToFirstToken);
  }

  void next() {
    due += varied(interToken);
  }

  /** After the engine stood still: what was due goes on from now, without a burst. */
  void resume() {
    due = Math.max(due, System.nanoTime());
  }

  /** Nanoseconds until the next token, zero or less when it is due. */
  long left() {
    return due - System.nanoTime();
  }

  private long varied(long nanos) {
    return jitter == 0 ? nanos : (long) (nanos * (1 + jitter * (2 * random.nextDouble() - 1)));
  }
}
