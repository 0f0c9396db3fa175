package inferencegateway.simulator;

/**
 * A request that gets an error instead of an answer. Carries no stack: it is an ordinary outcome.
 */
final class Rejected extends Exception {

  private static final long serialVersionUID = 1;

  private final transient ErrorAnswer answer;

  Rejected(ErrorAnswer answer) {
    super(answer.body(), null, false, false);
    this.answer = answer;
  }

  ErrorAnswer answer() {
    return answer;
  }
}
