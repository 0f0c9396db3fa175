package inferencegateway.chat;

/** Whether an answer is, or may come to be, the rest of one that another backend began. */
public enum Continuation {
  /** It is whole, and stays where it is. */
  NONE,
  /**
   * Should this backend die, another may go on with it: so that it is known how much was said, each
   * piece is to come with the usage so far.
   */
  POSSIBLE,
  /** It is the rest: the last message is its beginning, and is not to be repeated. */
  OF_LAST_MESSAGE
}
