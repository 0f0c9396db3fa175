package inferencegateway.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits, with a bound, for what another thread or process does. Looks every 2 ms. */
public final class Eventually {
  private static final long LOOK_NANOS = 2_000_000;
  private final Duration limit;

  private Eventually(Duration limit) {
    this.limit = limit;
  }

  public static Eventually within(Duration limit) {
    return new Eventually(limit);
  }

  public void assertThat(BooleanSupplier condition) {
    assertThat("the condition", condition);
  }

  /** Fails with {@code what} when {@code condition} did not become true in time. */
  public void assertThat(String what, BooleanSupplier condition) {
    if (!becomesTrue(condition)) {
      throw new AssertionError(what + " did not hold within " + limit);
    }
  }

  /** Repeats assertions until they pass; fails with the last failure. */
  public void passes(Runnable assertions) {
    AssertionError[] last = new AssertionError[1];
    if (!becomesTrue(() -> (last[0] = failureOf(assertions)) == null)) {
      throw new AssertionError("still failing after " + limit, last[0]);
    }
  }

  /** The first value that is not null. */
  public <T> T get(Supplier<? extends @Nullable T> source) {
    Object[] found = new Object[1];
    assertThat("a value", () -> (found[0] = source.get()) != null);
    @SuppressWarnings("unchecked")
    T value = (T) found[0];
    return value;
  }

  private static @Nullable AssertionError failureOf(Runnable assertions) {
    try {
      assertions.run();
      return null;
    } catch (AssertionError e) {
      return e;
    }
  }

  private boolean becomesTrue(BooleanSupplier condition) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }
}
