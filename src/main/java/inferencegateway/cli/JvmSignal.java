package inferencegateway.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One signal that is taken in the JVM's place.
 *
 * <p>{@code sun.misc.Signal} is the only way to a signal that Java offers; it is called by
 * reflection, so that the build needs no exception for it and a JVM without it can be told.
 */
final class JvmSignal implements AutoCloseable {

  private final Object signal;
  private final @Nullable Object before;

  private JvmSignal(Object signal, @Nullable Object before) {
    this.signal = signal;
    this.before = before;
  }

  /**
   * @param name without SIG
   * @param handler takes the signal's number; runs on a thread of the JVM's own, side by side
   * @throws ReflectiveOperationException where this JVM, or its system, has no such signal
   * @throws LinkageError the same
   */
  static JvmSignal take(String name, IntConsumer handler) throws ReflectiveOperationException {
    Class<?> signalType = Class.forName("sun.misc.Signal");
    Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
    InvocationHandler onSignal =
        (proxy, method, arguments) -> called(handler, proxy, method, arguments);
    Object taking =
        Proxy.newProxyInstance(
            JvmSignal.class.getClassLoader(), new Class<?>[] {handlerType}, onSignal);
    Object signal = signalType.getConstructor(String.class).newInstance(name);
    return new JvmSignal(
        signal,
        signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, taking));
  }

  private static @Nullable Object called(
      IntConsumer handler, Object proxy, Method method, Object[] arguments)
      throws ReflectiveOperationException {
    return switch (method.getName()) {
      case "handle" -> {
        Object signal = arguments[0];
        handler.accept((int) signal.getClass().getMethod("getNumber").invoke(signal));
        yield null;
      }
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "a signal's handler";
    };
  }

  /** Puts back what was there before. */
  @Override
  public void close() {
    try {
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      signal
          .getClass()
          .getMethod("handle", signal.getClass(), handlerType)
          .invoke(null, signal, before);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("handled before, so it can be handled again", e);
    }
  }
}
