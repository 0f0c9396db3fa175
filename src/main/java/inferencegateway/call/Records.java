package inferencegateway.call;

import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.chat.UpstreamError;
import inferencegateway.chat.Usage;
import inferencegateway.http.Exchange;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.grpc.Status;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes down what a call came to. */
final class Records {

  private Records() {}

  static CallRecord of(ActiveCall call, Outcome outcome) {
    return outcome.fold(
        done ->
            record(
                call, outcome, CallOutcome.OK, Status.Code.OK, done.finish().raw(), done.usage()),
        failed -> unserved(call, outcome),
        gone -> unserved(call, outcome));
  }

  private static CallRecord unserved(ActiveCall call, Outcome outcome) {
    Reason reason = outcome.reason();
    return reason == null
        ? unserved(call, outcome, CallOutcome.CLIENT_CANCEL, Status.Code.CANCELLED)
        : unserved(
            call, outcome, Verdict.outcome(reason, call.isOffered()), Verdict.on(reason).code());
  }

  private static CallRecord unserved(
      ActiveCall call, Outcome outcome, CallOutcome word, Status.Code code) {
    return record(call, outcome, word, code, null, counted(call));
  }

  private static Usage counted(ActiveCall call) {
    return Usage.counted(call.deltas());
  }

  private static CallRecord record(
      ActiveCall call,
      Outcome outcome,
      CallOutcome word,
      Status.Code code,
      @Nullable String finish,
      Usage usage) {
    Exchange.ConnectionUse use = call.connectionUse();
    CallTiming timing = call.timing();
    Reason reason = outcome.reason();
    return new CallRecord(
        call.info().requestId(),
        call.info().method(),
        call.info().peer(),
        call.info().caller().name(),
        call.model(),
        call.sentModel(),
        call.backendName(),
        word,
        code.name(),
        reason == null ? null : reason.name(),
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
        outcome.fold(done -> null, failed -> detail(failed.failure()), gone -> null),
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
    return Stream.of(error.type(), error.param(), error.code())
        .filter(word -> !word.isEmpty())
        .collect(Collectors.joining(" "));
  }
}
