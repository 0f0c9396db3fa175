package inferencegateway.call;

import inferencegateway.auth.Caller;
import inferencegateway.chat.Tracking;
import inferencegateway.http.CallLoop;
import inferencegateway.telemetry.CallTrace;
import io.grpc.Context;

/**
 * What is known of a call when its headers are in.
 *
 * @param tracking its request id, the caller's or one of ours, and the trace it is part of
 * @param trace told what becomes of it
 * @param method full name, as {@code inference.InferenceService/Generate}
 * @param peer the caller's address, for the log
 * @param caller whose call it is, with what it may do
 * @param session calls of one session are served by one backend where that is good; checked; empty
 *     for none
 * @param retried whether the caller's library has tried this call before
 * @param streaming whether the caller takes the answer in pieces
 * @param loop the loop of the caller's connection
 * @param context the call's; it carries deadline and cancellation
 */
public record CallInfo(
    Tracking tracking,
    CallTrace trace,
    String method,
    String peer,
    Caller caller,
    String session,
    boolean retried,
    boolean streaming,
    CallLoop loop,
    Context context) {

  public String requestId() {
    return tracking.requestId();
  }
}
