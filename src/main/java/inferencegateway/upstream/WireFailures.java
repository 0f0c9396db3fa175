package inferencegateway.upstream;

import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.http.HttpFault;

/** What a fault of the wire means for a call. */
final class WireFailures {

  private WireFailures() {}

  /**
   * @param hasOutput whether the backend had begun to answer: then it worked in vain and must not
   *     be asked again
   */
  static Failure of(HttpFault fault, boolean hasOutput) {
    return Failure.of(reason(fault.kind(), hasOutput), fault.detail());
  }

  private static Reason reason(HttpFault.Kind kind, boolean hasOutput) {
    return switch (kind) {
      case CONNECT, CONNECT_TIMEOUT, EXHAUSTED -> Reason.UPSTREAM_CONNECT;
      case NO_RESPONSE -> Reason.UPSTREAM_RESET;
      case CUT -> hasOutput ? Reason.UPSTREAM_TRUNCATED : Reason.UPSTREAM_RESET;
      case PROTOCOL -> Reason.UPSTREAM_PROTOCOL;
    };
  }

  static Failure protocol(String message) {
    return Failure.of(Reason.UPSTREAM_PROTOCOL, message);
  }

  /** Says where it happened, and nothing that the exception might quote. */
  static Failure bug(RuntimeException e) {
    StackTraceElement[] stack = e.getStackTrace();
    String where = stack.length == 0 ? "" : " at " + stack[0];
    return Failure.of(Reason.BUG, "internal error: " + e.getClass().getSimpleName() + where);
  }
}
