package inferencegateway.cli;

/** Sends this process a signal. */
final class Signals {

  private Signals() {}

  static void raise(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      signal
          .getMethod("raise", signal)
          .invoke(null, signal.getConstructor(String.class).newInstance(name));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
