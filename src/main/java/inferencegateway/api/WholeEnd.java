package inferencegateway.api;

import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;
import io.grpc.Context;
import io.grpc.ServerCall;

/** A caller that takes the answer whole. The call bounds what is collected here. */
final class WholeEnd<A> extends CallerEnd<A> {

  private final WholeWording<A> wording;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();

  WholeEnd(ServerCall<?, A> call, String requestId, Context context, WholeWording<A> wording) {
    super(call, requestId, context);
    this.wording = wording;
  }

  /** Nothing goes out before the end. */
  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void send(AnswerHead head, Delta delta) {
    text.append(delta.text());
    reasoning.append(delta.reasoning());
  }

  @Override
  public void complete(AnswerHead head, Finish finish, Usage usage, CallTiming timing) {
    Delta all = new Delta(text.toString(), reasoning.toString());
    message(wording.whole(head, all, finish, usage, timing));
    ok();
  }
}
