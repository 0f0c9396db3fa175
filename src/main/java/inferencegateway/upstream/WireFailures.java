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
    return Failure.of(reason(fault.kind(), hasOutput), message(fault.kind()))
        .withLog(fault.detail());
  }

  private static Reason reason(HttpFault.Kind kind, boolean hasOutput) {
    return switch (kind) {
      case CONNECT, CONNECT_TIMEOUT -> Reason.UPSTREAM_CONNECT;
      case EXHAUSTED -> Reason.NO_SOCKETS;
      case NO_RESPONSE -> Reason.UPSTREAM_RESET;
      case CUT -> hasOutput ? Reason.UPSTREAM_TRUNCATED : Reason.UPSTREAM_RESET;
      case PROTOCOL -> Reason.UPSTREAM_PROTOCOL;
    };
  }

  /** Callers learn what happened, not where the backend lives: that is for the log. */
  private static String message(HttpFault.Kind kind) {
    return switch (kind) {
      case CONNECT -> "the gateway cannot connect to its backend";
      case CONNECT_TIMEOUT -> "the backend did not take a connection in time";
      case EXHAUSTED -> "the gateway has no sockets left; call again later";
      case NO_RESPONSE -> "the backend closed the connection without an answer";
      case CUT -> "the backend's answer broke off";
      case PROTOCOL -> "what the backend sent is not HTTP as it should be";
    };
  }

  static Failure protocol(String message) {
    return Failure.of(Reason.UPSTREAM_PROTOCOL, message);
  }

  static Failure oddContent() {
    return protocol("the backend sent content that is not text");
  }

  /** Logs where it happened, and nothing that the exception might quote. */
  static Failure bug(RuntimeException e) {
    StackTraceElement[] stack = e.getStackTrace();
    String where = stack.length == 0 ? "" : " at " + stack[0];
    return Failure.of(Reason.BUG, "the gateway failed on this call; please report it")
        .withLog(e.getClass().getSimpleName() + where);
  }
}
