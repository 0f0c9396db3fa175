package inferencegateway.chat;

/** Where in its life a call is. The same words in logs, metrics, traces and error details. */
public enum Phase {
  /** Being read and checked. */
  ADMISSION("admission"),
  /** Waiting for a free place at the backend. */
  QUEUED("queued"),
  /** Opening a connection to the backend. */
  CONNECT("connect"),
  /** Sent; nothing has come back that a caller could use. */
  PREFILL("prefill"),
  /** Text is flowing. */
  DECODE("decode"),
  /** Waiting for the caller to take what there is. */
  BACKPRESSURE("backpressure");

  private final String word;

  Phase(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}
