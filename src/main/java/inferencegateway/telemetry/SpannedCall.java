package inferencegateway.telemetry;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Tracking;
import inferencegateway.chat.Usage;
import inferencegateway.config.BackendUrl;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A call with spans, sampled or not. */
final class SpannedCall implements CallTrace {

  static final String CHAT = "chat";

  /** Of one call's pauses; what is more is only counted. */
  private static final int MOST_PAUSES_TOLD = 16;

  private final Tracer tracer;
  private final Span span;
  private final Context context;
  private final String requestId;
  private int attempts;
  private long pauses;
  private boolean hasFirstToken;
  private @Nullable SpannedAttempt attempt;

  SpannedCall(Tracer tracer, Span span, String requestId) {
    this.tracer = tracer;
    this.span = span;
    this.context = Context.root().with(span);
    this.requestId = requestId;
  }

  @Override
  public Context context() {
    return context;
  }

  @Override
  public Tracking begins(String backend, BackendUrl url, ChatRequest request, boolean streamed) {
    attempts++;
    span.addEvent(TraceNames.ADMITTED, Attributes.of(TraceNames.BACKEND, backend));
    SpannedAttempt next = SpannedAttempt.start(tracer, context, request, streamed);
    next.sentTo(backend, url, attempts);
    attempt = next;
    return TraceContext.tracking(requestId, next.context());
  }

  @Override
  public void connected(boolean reused) {
    if (attempt != null) {
      attempt.connected(reused);
    }
  }

  @Override
  public void head(AnswerHead head) {
    if (attempt != null) {
      attempt.head(head);
    }
  }

  @Override
  public void firstToken() {
    if (attempt != null) {
      attempt.firstToken();
    }
    if (!hasFirstToken) {
      hasFirstToken = true;
      span.addEvent(TraceNames.FIRST_TOKEN);
    }
  }

  @Override
  public void paused() {
    if (++pauses <= MOST_PAUSES_TOLD) {
      span.addEvent(TraceNames.PAUSED_EVENT);
    }
  }

  @Override
  public void resumed() {
    if (pauses <= MOST_PAUSES_TOLD) {
      span.addEvent(TraceNames.RESUMED);
    }
  }

  @Override
  public void answered(Finish finish, @Nullable Usage usage) {
    if (attempt != null) {
      attempt.answered(finish, usage);
      attempt = null;
    }
  }

  @Override
  public void failed(Reason reason) {
    if (attempt != null) {
      attempt.failed(reason.name());
      attempt = null;
    }
  }

  @Override
  public void ended(CallRecord call) {
    if (attempt != null) {
      attempt.brokenOff(call);
      attempt = null;
    }
    if (span.isRecording()) {
      describe(call);
    }
    span.end();
  }

  private void describe(CallRecord call) {
    if (isGivenUp(call.outcome())) {
      span.addEvent(TraceNames.CANCELLED, Attributes.of(TraceNames.PHASE, call.phase().word()));
    }
    span.setAttribute(TraceNames.RPC_STATUS, call.code())
        .setAttribute(TraceNames.OUTCOME, call.outcome().word())
        .setAttribute(TraceNames.PHASE, call.phase().word())
        .setAttribute(TraceNames.OUTPUT, (long) call.outputTokens())
        .setAttribute(TraceNames.ATTEMPTS, (long) call.attempts());
    if (call.exactUsage()) {
      span.setAttribute(TraceNames.INPUT, (long) call.inputTokens());
    }
    if (!call.model().isEmpty()) {
      span.setAttribute(TraceNames.MODEL, SpannedAttempt.shortened(call.model()));
    }
    if (call.finish() != null) {
      span.setAttribute(TraceNames.FINISH, List.of(SpannedAttempt.shortened(call.finish())));
    }
    if (call.queueNanos() >= 0) {
      span.setAttribute(TraceNames.QUEUE, seconds(call.queueNanos()));
    }
    if (pauses > 0) {
      span.setAttribute(TraceNames.PAUSED, seconds(call.pausedNanos()))
          .setAttribute(TraceNames.PAUSES, pauses);
    }
    status(call);
  }

  /** The backend is told to stop because nobody wants the rest. */
  static boolean isGivenUp(CallOutcome outcome) {
    return switch (outcome) {
      case CLIENT_CANCEL, CLIENT_DEADLINE, SLOW_CONSUMER -> true;
      default -> false;
    };
  }

  private void status(CallRecord call) {
    String reason = call.reason();
    if (reason != null) {
      span.setAttribute(TraceNames.REASON, reason);
    }
    if (isServersFault(call.code())) {
      span.setAttribute(TraceNames.ERROR, call.code())
          .setStatus(StatusCode.ERROR, reason == null ? call.outcome().word() : reason);
    }
  }

  /** The codes that the conventions for gRPC call errors of a server. */
  private static boolean isServersFault(String code) {
    return switch (code) {
      case "UNKNOWN",
          "DEADLINE_EXCEEDED",
          "UNIMPLEMENTED",
          "INTERNAL",
          "UNAVAILABLE",
          "DATA_LOSS" ->
          true;
      default -> false;
    };
  }

  static double seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos) / 1e6;
  }
}
