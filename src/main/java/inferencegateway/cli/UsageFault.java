package inferencegateway.cli;

/** A command was asked for something that cannot be; its message tells people what and why. */
final class UsageFault extends RuntimeException {

  private static final long serialVersionUID = 1;

  UsageFault(String message) {
    super(message);
  }
}
