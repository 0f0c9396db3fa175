package inferencegateway.telemetry;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Tracking;
import inferencegateway.chat.Usage;
import inferencegateway.config.BackendUrl;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * Where no spans are made. The caller's trace goes on to the backend as it came.
 *
 * @param callers the trace that the call is part of, if it is of one
 */
record NoSpans(Tracking callers) implements CallTrace {

  @Override
  public Context context() {
    return TraceContext.of(callers);
  }

  @Override
  public Tracking begins(String backend, BackendUrl url, ChatRequest request, boolean streamed) {
    return callers;
  }

  @Override
  public void connected(boolean reused) {}

  @Override
  public void head(AnswerHead head) {}

  @Override
  public void firstToken() {}

  @Override
  public void paused() {}

  @Override
  public void resumed() {}

  @Override
  public void answered(Finish finish, @Nullable Usage usage) {}

  @Override
  public void failed(Reason reason) {}

  @Override
  public void ended(CallRecord call) {}
}
