package inferencegateway.api;

import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;

/** How one method's contract says a whole answer. */
interface WholeWording<A> {

  A whole(AnswerHead head, Delta all, Finish finish, Usage usage, CallTiming timing);
}
