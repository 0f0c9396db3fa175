package inferencegateway.admission;

import inferencegateway.chat.Failure;

/** What came of asking for a place. */
public sealed interface Asked permits Place, Asked.Refused {

  /** There is none, and no waiting for one. */
  record Refused(Failure failure) implements Asked {}
}
