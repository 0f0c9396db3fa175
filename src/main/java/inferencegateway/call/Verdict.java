package inferencegateway.call;

import inferencegateway.chat.Reason;
import inferencegateway.route.Lately;
import inferencegateway.telemetry.CallOutcome;
import io.grpc.Status;

/**
 * What one reason means to a caller and to the operator.
 *
 * @param mayRetry whether the same request may be sent again, as long as nothing of an answer was
 *     handed over
 */
record Verdict(Status.Code code, boolean mayRetry, CallOutcome outcome) {

  /** The one table. README (codes) and docs/metrics.md (outcomes) repeat it for people. */
  static Verdict on(Reason reason) {
    return switch (reason) {
      case INVALID_REQUEST -> never(Status.Code.INVALID_ARGUMENT, CallOutcome.INVALID);
      case MALFORMED_REQUEST -> never(Status.Code.INTERNAL, CallOutcome.INVALID);
      case UNAUTHENTICATED -> never(Status.Code.UNAUTHENTICATED, CallOutcome.DENIED);
      case PERMISSION_DENIED -> never(Status.Code.PERMISSION_DENIED, CallOutcome.DENIED);
      case REQUEST_TOO_LARGE -> never(Status.Code.RESOURCE_EXHAUSTED, CallOutcome.INVALID);
      case REQUEST_COUNT, UNKNOWN_METHOD -> never(Status.Code.UNIMPLEMENTED, CallOutcome.INVALID);
      case CONTEXT_LENGTH -> never(Status.Code.INVALID_ARGUMENT, CallOutcome.INVALID);
      case MODEL_NOT_FOUND -> never(Status.Code.NOT_FOUND, CallOutcome.INVALID);
      case UNIMPLEMENTED_UPSTREAM -> never(Status.Code.UNIMPLEMENTED, CallOutcome.UPSTREAM_5XX);
      case CONCURRENCY_LIMIT, DEADLINE_UNREACHABLE, QUOTA, MEMORY_PRESSURE, NO_SOCKETS ->
          again(Status.Code.RESOURCE_EXHAUSTED, CallOutcome.SHED);
      case UPSTREAM_RATE_LIMIT -> again(Status.Code.RESOURCE_EXHAUSTED, CallOutcome.UPSTREAM_4XX);
      case UPSTREAM_QUEUE_FULL -> again(Status.Code.RESOURCE_EXHAUSTED, CallOutcome.UPSTREAM_5XX);
      case RESPONSE_TOO_LARGE, UPSTREAM_EVENT_TOO_LARGE ->
          never(Status.Code.RESOURCE_EXHAUSTED, CallOutcome.UPSTREAM_5XX);
      case UPSTREAM_CONNECT, UPSTREAM_RESET, UPSTREAM_SHUTDOWN ->
          again(Status.Code.UNAVAILABLE, CallOutcome.UPSTREAM_RESET);
      case UPSTREAM_STARTING, UPSTREAM_GATEWAY, NOT_READY ->
          again(Status.Code.UNAVAILABLE, CallOutcome.UPSTREAM_5XX);
      case UPSTREAM_ERROR, UPSTREAM_ABORTED ->
          never(Status.Code.UNAVAILABLE, CallOutcome.UPSTREAM_5XX);
      case UPSTREAM_TRUNCATED, UPSTREAM_EMPTY ->
          never(Status.Code.UNAVAILABLE, CallOutcome.UPSTREAM_RESET);
      case FIRST_TOKEN_TIMEOUT, INTER_TOKEN_TIMEOUT ->
          never(Status.Code.UNAVAILABLE, CallOutcome.STALLED);
      case SHUTTING_DOWN -> again(Status.Code.UNAVAILABLE, CallOutcome.DRAINED);
      case CANCELLED_BY_OPERATOR -> never(Status.Code.ABORTED, CallOutcome.OPERATOR_CANCEL);
      case CLIENT_DEADLINE -> never(Status.Code.DEADLINE_EXCEEDED, CallOutcome.CLIENT_DEADLINE);
      case MAX_CALL_TIME -> never(Status.Code.DEADLINE_EXCEEDED, CallOutcome.TIME_LIMIT);
      case UPSTREAM_AUTH, UPSTREAM_REDIRECT, UPSTREAM_NOT_FOUND ->
          never(Status.Code.INTERNAL, CallOutcome.UPSTREAM_4XX);
      case UPSTREAM_PROTOCOL -> never(Status.Code.INTERNAL, CallOutcome.UPSTREAM_5XX);
      case BUG -> never(Status.Code.INTERNAL, CallOutcome.BUG);
      case SLOW_CONSUMER -> never(Status.Code.CANCELLED, CallOutcome.SLOW_CONSUMER);
    };
  }

  /**
   * Whose failure it is.
   *
   * @param isOffered whether the model asked for is one that the operator or a backend has named: a
   *     backend that does not know it then is no matter of the caller's
   */
  static CallOutcome outcome(Reason reason, boolean isOffered) {
    return reason == Reason.MODEL_NOT_FOUND && isOffered
        ? CallOutcome.UPSTREAM_4XX
        : on(reason).outcome();
  }

  /** What the end of an attempt says of its backend. */
  static Lately.End end(CallOutcome outcome) {
    return switch (outcome) {
      case UPSTREAM_4XX, UPSTREAM_5XX, UPSTREAM_RESET, STALLED -> Lately.End.FAILED;
      case CLIENT_DEADLINE, TIME_LIMIT -> Lately.End.LATE;
      default -> Lately.End.OTHER;
    };
  }

  /** Whether it tells that the backend has more to do than it can. */
  static boolean saysNoRoom(Reason reason) {
    return reason == Reason.UPSTREAM_QUEUE_FULL || reason == Reason.UPSTREAM_RATE_LIMIT;
  }

  private static Verdict never(Status.Code code, CallOutcome outcome) {
    return new Verdict(code, false, outcome);
  }

  private static Verdict again(Status.Code code, CallOutcome outcome) {
    return new Verdict(code, true, outcome);
  }
}
