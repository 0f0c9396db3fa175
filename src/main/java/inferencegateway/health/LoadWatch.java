package inferencegateway.health;

import inferencegateway.upstream.EngineLoad;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps asking one backend how busy it is, while calls of ours run there. One that does not say is
 * asked less and less often.
 *
 * <p>Thread: {@link #look} on one; the answer on any.
 */
public final class LoadWatch {

  private static final long FIRST_REST = TimeUnit.SECONDS.toNanos(2);
  private static final long LONGEST_REST = TimeUnit.MINUTES.toNanos(1);

  /** Asks once; calls back once, from any thread, with null when the backend does not say. */
  public interface Question {
    void ask(Consumer<@Nullable EngineLoad> done);
  }

  private final Question question;
  private final BooleanSupplier busy;
  private final Consumer<EngineLoad> heard;
  private final LongSupplier clock;

  /** Set by {@link #look}, unset by the answer. */
  private final AtomicBoolean asking = new AtomicBoolean();

  /** Written by the answer, before {@link #asking} is unset; read after it was set. */
  private long rest;

  private long answeredAt;

  /**
   * @param busy whether the answer would matter now
   */
  public LoadWatch(Question question, BooleanSupplier busy, Consumer<EngineLoad> heard) {
    this(question, busy, heard, System::nanoTime);
  }

  LoadWatch(
      Question question, BooleanSupplier busy, Consumer<EngineLoad> heard, LongSupplier clock) {
    this.question = question;
    this.busy = busy;
    this.heard = heard;
    this.clock = clock;
  }

  /** To be called about every second. */
  public void look() {
    if (!busy.getAsBoolean() || !asking.compareAndSet(false, true)) {
      return;
    }
    if (rest > 0 && clock.getAsLong() - answeredAt < rest) {
      asking.set(false);
      return;
    }
    question.ask(this::answered);
  }

  private void answered(@Nullable EngineLoad load) {
    answeredAt = clock.getAsLong();
    rest = load != null ? 0 : Math.min(LONGEST_REST, Math.max(FIRST_REST, rest * 2));
    asking.set(false);
    if (load != null) {
      heard.accept(load);
    }
  }
}
