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
 * The spans of one call: one for the caller, one for each attempt at a backend. Sizes, times and
 * names; never content.
 *
 * <pre>  arrived -begins-> attempt -answered, failed-> (the next one begins, or) -ended->
 * </pre>
 *
 * <p>Nothing of it is called per token. Thread: the call's loop.
 */
public interface CallTrace {

  /**
   * The trace as others see it: for log lines, exemplars. Has the caller's own where none is made.
   */
  Context context();

  /**
   * The call has its place, and the request is about to leave.
   *
   * @return what the backend is told of the trace
   */
  Tracking begins(String backend, BackendUrl url, ChatRequest request, boolean streamed);

  /** The request is on a connection. */
  void connected(boolean reused);

  /** The backend has named its answer. */
  void head(AnswerHead head);

  /** The first piece of a streamed answer, of the present attempt. */
  void firstToken();

  /** The caller does not take what there is; the backend is held back. */
  void paused();

  void resumed();

  /** The present attempt brought a whole answer. */
  void answered(Finish finish, @Nullable Usage usage);

  /** The present attempt is over. Does nothing when it was before. */
  void failed(Reason reason);

  /** The call is over, and with it the attempt that is left. */
  void ended(CallRecord call);
}
