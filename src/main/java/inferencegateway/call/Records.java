package inferencegateway.call;

import inferencegateway.chat.Failure;
import inferencegateway.chat.UpstreamError;
import inferencegateway.chat.Usage;
import inferencegateway.http.Exchange;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.grpc.Status;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes down what a call came to. */
final class Records {

  private Records() {}

  static CallRecord of(ActiveCall call, Outcome outcome) {
    return outcome.fold(
        done ->
            record(call, CallOutcome.OK, Status.Code.OK, null, done.finish().raw(), done.usage()),
        failed -> failed(call, failed.failure()),
        gone -> abandoned(call, gone.cause()));
  }

  private static CallRecord failed(ActiveCall call, Failure failure) {
    CallOutcome outcome = Verdict.outcome(failure.reason(), call.isOffered());
    Status.Code code = Verdict.on(failure.reason()).code();
    return record(call, outcome, code, failure, null, counted(call));
  }

  private static CallRecord abandoned(ActiveCall call, Outcome.Cause cause) {
    return switch (cause) {
      case CANCELLED -> left(call, CallOutcome.CLIENT_CANCEL, Status.Code.CANCELLED);
      case DEADLINE -> left(call, CallOutcome.CLIENT_DEADLINE, Status.Code.DEADLINE_EXCEEDED);
      case SLOW_CONSUMER -> left(call, CallOutcome.SLOW_CONSUMER, Status.Code.CANCELLED);
    };
  }

  private static CallRecord left(ActiveCall call, CallOutcome outcome, Status.Code code) {
    return record(call, outcome, code, null, null, counted(call));
  }

  private static Usage counted(ActiveCall call) {
    return Usage.counted(call.deltas());
  }

  private static CallRecord record(
      ActiveCall call,
      CallOutcome outcome,
      Status.Code code,
      @Nullable Failure failure,
      @Nullable String finish,
      Usage usage) {
    Exchange.ConnectionUse use = call.connectionUse();
    CallTiming timing = call.timing();
    return new CallRecord(
        call.info().requestId(),
        call.info().method(),
        call.info().peer(),
        call.info().caller().name(),
        call.model(),
        call.sentModel(),
        call.backendName(),
        outcome,
        code.name(),
        failure == null ? null : failure.reason().name(),
        call.phase(),
        finish,
        usage.input(),
        usage.output(),
        usage.exact(),
        call.deltas(),
        timing.queue(),
        timing.prefill(),
        timing.firstToken(),
        timing.total(),
        call.pausedNanos(),
        use.reused(),
        use.attempts(),
        call.rescued(),
        call.moved(),
        call.fallbacks(),
        failure == null ? null : detail(failure),
        call.info().trace().context());
  }

  /** A backend may say why in the request's own words: those are told to the caller alone. */
  private static String detail(Failure failure) {
    StringJoiner more = new StringJoiner(", ", " (", ")").setEmptyValue("");
    add(more, words(failure.upstream()));
    add(more, failure.forLog());
    return failure.message() + more;
  }

  private static void add(StringJoiner to, String words) {
    if (!words.isEmpty()) {
      to.add(words);
    }
  }

  private static String words(UpstreamError error) {
    return String.join(" ", error.type(), error.param(), error.code()).strip();
  }
}
