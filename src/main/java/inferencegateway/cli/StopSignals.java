package inferencegateway.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * SIGTERM and SIGINT: the first asks for an orderly stop, the second ends the process at once.
 *
 * <p>Not a shutdown hook: a JVM that runs its hooks takes no second signal. {@code sun.misc.Signal}
 * is the only way to a signal that Java offers; it is called by reflection, so that the build needs
 * no exception for it and a JVM without it falls back to a hook.
 */
final class StopSignals implements AutoCloseable {

  private static final int SIGNAL_EXIT = 128;

  /** Set by the first signal; signals arrive on threads of the JVM's own, side by side. */
  private final AtomicBoolean asked = new AtomicBoolean();

  private final Runnable stop;
  private final IntConsumer end;

  /** By signal object: the handler that was there before. */
  private final Map<Object, Object> replaced = new LinkedHashMap<>();

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
        signals.handle(name);
      } catch (ReflectiveOperationException | LinkageError e) {
        Runtime.getRuntime().addShutdownHook(new Thread(signals::first, "stop"));
        break;
      }
    }
    return signals;
  }

  private void handle(String name) throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    InvocationHandler onSignal = (proxy, method, arguments) -> called(proxy, method, arguments);
    Object handler =
        Proxy.newProxyInstance(
            StopSignals.class.getClassLoader(), new Class<?>[] {handlerType}, onSignal);
    Object signal = signalType.getConstructor(String.class).newInstance(name);
    Object before =
        signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    replaced.put(signal, before);
  }

  private @Nullable Object called(Object proxy, Method method, Object[] arguments)
      throws ReflectiveOperationException {
    return switch (method.getName()) {
      case "handle" -> {
        Object signal = arguments[0];
        onSignal((int) signal.getClass().getMethod("getNumber").invoke(signal));
        yield null;
      }
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "stop signals";
    };
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
    replaced.forEach(
        (signal, before) -> {
          try {
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            signal
                .getClass()
                .getMethod("handle", signal.getClass(), handlerType)
                .invoke(null, signal, before);
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("handled before, so it can be handled again", e);
          }
        });
  }
}
