package inferencegateway.auth;

/** What came of looking at what a call presents. */
public sealed interface Identity {

  /** Whose it is. */
  record Known(Caller caller) implements Identity {}

  /**
   * Nobody's.
   *
   * @param why for the operator: one of a few fixed texts, nothing of what was presented
   */
  record Unknown(String why) implements Identity {}
}
