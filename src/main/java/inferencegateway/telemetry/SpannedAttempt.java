package inferencegateway.telemetry;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Usage;
import inferencegateway.config.BackendUrl;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The span of one attempt at a backend. What the backend takes up its own trace from. */
final class SpannedAttempt {

  /** The wire format is OpenAI's; which server speaks it is not known. */
  private static final String PROVIDER = "openai";

  /** Names of models and finish reasons are the words of others. */
  private static final int LONGEST = 200;

  private final Span span;
  private final Context context;
  private final long startedAt = System.nanoTime();

  private SpannedAttempt(Span span, Context call) {
    this.span = span;
    this.context = call.with(span);
  }

  static SpannedAttempt start(Tracer tracer, Context call, ChatRequest request, boolean streamed) {
    String model = shortened(request.model());
    SpanBuilder span =
        tracer
            .spanBuilder(SpannedCall.CHAT + " " + model)
            .setSpanKind(SpanKind.CLIENT)
            .setParent(call)
            .setAttribute(TraceNames.OPERATION, SpannedCall.CHAT)
            .setAttribute(TraceNames.PROVIDER, PROVIDER)
            .setAttribute(TraceNames.MODEL, model);
    SpannedAttempt attempt = new SpannedAttempt(span.startSpan(), call);
    if (attempt.span.isRecording()) {
      attempt.asks(request, streamed);
    }
    return attempt;
  }

  /** Stop strings and token biases are left out: they are the caller's text. */
  private void asks(ChatRequest request, boolean streamed) {
    Sampling sampling = request.sampling();
    span.setAttribute(TraceNames.STREAM, streamed)
        .setAttribute(TraceNames.MAX_TOKENS, (long) request.maxTokens());
    ifSaid(TraceNames.TEMPERATURE, sampling.temperature());
    ifSaid(TraceNames.TOP_P, sampling.topP());
    ifSaid(TraceNames.TOP_K, asLong(sampling.topK()));
    ifSaid(TraceNames.FREQUENCY_PENALTY, sampling.frequencyPenalty());
    ifSaid(TraceNames.PRESENCE_PENALTY, sampling.presencePenalty());
    ifSaid(TraceNames.SEED, sampling.seed());
  }

  void sentTo(String backend, BackendUrl url, int number) {
    span.setAttribute(TraceNames.BACKEND, backend).setAttribute(TraceNames.ATTEMPT, (long) number);
    if (url.socketPath() != null) {
      span.setAttribute(TraceNames.SERVER_ADDRESS, url.socketPath());
    } else {
      span.setAttribute(TraceNames.SERVER_ADDRESS, url.host())
          .setAttribute(TraceNames.SERVER_PORT, (long) url.port());
    }
  }

  Context context() {
    return context;
  }

  void connected(boolean reused) {
    span.addEvent(TraceNames.CONNECTED, Attributes.of(TraceNames.REUSED, reused));
  }

  void head(AnswerHead head) {
    if (!head.id().isEmpty()) {
      span.setAttribute(TraceNames.RESPONSE_ID, shortened(head.id()));
    }
    if (!head.model().isEmpty()) {
      span.setAttribute(TraceNames.RESPONSE_MODEL, shortened(head.model()));
    }
  }

  void firstToken() {
    span.addEvent(TraceNames.FIRST_TOKEN)
        .setAttribute(TraceNames.FIRST_CHUNK, SpannedCall.seconds(System.nanoTime() - startedAt));
  }

  void answered(Finish finish, @Nullable Usage usage) {
    span.setAttribute(TraceNames.FINISH, List.of(shortened(finish.raw())));
    if (usage != null) {
      span.setAttribute(TraceNames.INPUT, (long) usage.input())
          .setAttribute(TraceNames.OUTPUT, (long) usage.output());
      ifSaid(TraceNames.CACHED, asLong(usage.cachedInput()));
      ifSaid(TraceNames.REASONING, asLong(usage.reasoning()));
    }
    span.end();
  }

  /** A word of the closed list, never the backend's own: it may repeat the prompt. */
  void failed(String reason) {
    span.setAttribute(TraceNames.ERROR, reason).setStatus(StatusCode.ERROR, reason).end();
  }

  /** Stopped, whoever wanted it. A caller that leaves is no fault of the backend. */
  void brokenOff(CallRecord call) {
    span.addEvent(TraceNames.CANCELLED, Attributes.of(TraceNames.PHASE, call.phase().word()));
    String reason = call.reason();
    if (reason == null) {
      span.end();
    } else {
      failed(reason);
    }
  }

  static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private <T> void ifSaid(AttributeKey<T> key, @Nullable T value) {
    if (value != null) {
      span.setAttribute(key, value);
    }
  }

  private static @Nullable Long asLong(@Nullable Integer number) {
    return number == null ? null : number.longValue();
  }
}
