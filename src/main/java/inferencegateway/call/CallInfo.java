package inferencegateway.call;

import inferencegateway.http.CallLoop;
import io.grpc.Context;

/**
 * What is known of a call when its headers are in.
 *
 * @param requestId checked or made by us: 1 to 128 of {@code A-Za-z0-9._-}
 * @param method full name, as {@code inference.InferenceService/Generate}
 * @param peer the caller's address, for the log
 * @param caller whose call it is, for fairness and limits: a known caller's name, else where it
 *     comes from
 * @param session calls of one session are served by one backend where that is good; checked; empty
 *     for none
 * @param retried whether the caller's library has tried this call before
 * @param streaming whether the caller takes the answer in pieces
 * @param loop the loop of the caller's connection
 * @param context the call's; it carries deadline and cancellation
 */
public record CallInfo(
    String requestId,
    String method,
    String peer,
    String caller,
    String session,
    boolean retried,
    boolean streaming,
    CallLoop loop,
    Context context) {}
