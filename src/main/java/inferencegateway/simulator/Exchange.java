package inferencegateway.simulator;

/** What a connection tells the request it is answering. On the connection's loop. */
interface Exchange {

  /** Starts answering; called once. */
  void begin();

  /** The client has taken what was written and takes more. */
  default void writable() {}

  /**
   * The connection is gone before the answer was complete. Called at most once, and not after the
   * answer's end.
   *
   * @param byClient false when the simulator is being stopped
   */
  default void lost(boolean byClient) {}

  /** The answer has ended, completely or by a fault. */
  default void ended() {}
}
