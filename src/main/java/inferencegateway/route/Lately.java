package inferencegateway.route;

import inferencegateway.chat.Reason;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How the attempts at one backend ended within the last one to two minutes, for people. Once an
 * attempt. Thread-safe.
 */
public final class Lately {

  /** What the end of an attempt says of the backend. */
  public enum End {
    /** It failed. */
    FAILED,
    /** Its time was over, the caller's or ours. */
    LATE,
    /** It went well, or ended by something else. */
    OTHER
  }

  /**
   * What there was.
   *
   * @param attempts all that ended
   * @param lastFailure of those that failed; null: there was none
   */
  public record Seen(int attempts, int failed, int late, @Nullable Reason lastFailure) {

    Seen plus(Seen newer) {
      return new Seen(
          attempts + newer.attempts,
          failed + newer.failed,
          late + newer.late,
          newer.lastFailure == null ? lastFailure : newer.lastFailure);
    }
  }

  private static final long SPAN = TimeUnit.SECONDS.toNanos(60);
  private static final Seen NOTHING = new Seen(0, 0, 0, null);

  private final LongSupplier clock;
  private Seen before = NOTHING;
  private Seen now = NOTHING;
  private long began;

  Lately(LongSupplier clock) {
    this.clock = clock;
    this.began = clock.getAsLong();
  }

  synchronized void ended(End end, @Nullable Reason reason) {
    turn();
    boolean failed = end == End.FAILED;
    now = now.plus(new Seen(1, failed ? 1 : 0, end == End.LATE ? 1 : 0, failed ? reason : null));
  }

  synchronized Seen seen() {
    turn();
    return before.plus(now);
  }

  private void turn() {
    long passed = clock.getAsLong() - began;
    if (passed >= SPAN) {
      before = passed < 2 * SPAN ? now : NOTHING;
      now = NOTHING;
      began += passed - passed % SPAN;
    }
  }
}
