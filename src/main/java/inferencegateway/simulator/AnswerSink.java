package inferencegateway.simulator;

/**
 * Where an answer goes. Everything on the request's loop, in this order: {@link #accepted}, {@link
 * #tokens} as often as it likes, then at most one of {@link #finish} and {@link #cut}.
 */
interface AnswerSink {

  /** The request has a slot or a place in the queue. */
  void accepted();

  /** Whether the client takes more now. */
  boolean takesMore();

  /** How many tokens may be written in one turn of the loop when they are not paced. */
  int burst();

  /** Tokens {@code from} to before {@code to} of the plan. */
  void tokens(int from, int to);

  void finish();

  /** The answer breaks off after as many tokens as were written. */
  void cut(Cut.Kind kind, int written);
}
