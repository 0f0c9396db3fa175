package inferencegateway.server;

/** What {@link MetricsPort} hands out. */
@FunctionalInterface
public interface Page {

  /** Looks once; whoever waits meanwhile gets the same. On the port's thread. */
  Moment read();

  /** How all stood at one moment. */
  @FunctionalInterface
  interface Moment {

    /**
     * @param accept the reader's {@code Accept}; empty where it sent none
     * @return the same object for the same format
     */
    Content as(String accept);
  }

  /**
   * @param type the {@code Content-Type}
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
  record Content(String type, byte[] bytes) {}
}
