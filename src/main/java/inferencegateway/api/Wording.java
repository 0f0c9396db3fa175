package inferencegateway.api;

import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;
import org.jspecify.annotations.Nullable;

/** How one method's contract says the parts of a streamed answer. */
interface Wording<A> {

  /**
   * The next piece.
   *
   * @param first whether the caller has heard nothing before
   * @return null where the contract has no words for it: no message is sent
   */
  @Nullable A piece(AnswerHead head, Delta delta, boolean first);

  /** The end of a good answer. */
  A last(AnswerHead head, Finish finish, Usage usage, CallTiming timing);
}
