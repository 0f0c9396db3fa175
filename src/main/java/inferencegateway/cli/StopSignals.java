package inferencegateway.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * SIGTERM and SIGINT: the first asks for an orderly stop, the second ends the process at once.
 *
 * <p>Not a shutdown hook: a JVM that runs its hooks takes no second signal. Where signals cannot be
 * had, it falls back to one.
 */
final class StopSignals implements AutoCloseable {

  private static final int SIGNAL_EXIT = 128;

  /** Set by the first signal; signals arrive on threads of the JVM's own, side by side. */
  private final AtomicBoolean asked = new AtomicBoolean();

  private final Runnable stop;
  private final IntConsumer end;

  private final List<JvmSignal> taken = new ArrayList<>();

  private StopSignals(Runnable stop, IntConsumer end) {
    this.stop = stop;
    this.end = end;
  }

  /** {@code stop} runs on a thread of its own. */
  static StopSignals install(Runnable stop) {
    return install(stop, Runtime.getRuntime()::halt, List.of("TERM", "INT"));
  }

  /**
   * @param end takes the exit code
   */
  static StopSignals install(Runnable stop, IntConsumer end, List<String> names) {
    StopSignals signals = new StopSignals(stop, end);
    for (String name : names) {
      try {
        signals.taken.add(JvmSignal.take(name, signals::onSignal));
      } catch (ReflectiveOperationException | LinkageError e) {
        Runtime.getRuntime().addShutdownHook(new Thread(signals::first, "stop"));
        break;
      }
    }
    return signals;
  }

  private void onSignal(int number) {
    if (asked.compareAndSet(false, true)) {
      new Thread(stop, "stop").start();
    } else {
      end.accept(SIGNAL_EXIT + number);
    }
  }

  /** In a shutdown hook the JVM waits for it; there is no second signal then. */
  private void first() {
    if (asked.compareAndSet(false, true)) {
      stop.run();
    }
  }

  boolean asked() {
    return asked.get();
  }

  /** Puts back what was there before. */
  @Override
  public void close() {
    taken.forEach(JvmSignal::close);
  }
}
