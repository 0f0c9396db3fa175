package inferencegateway.api;

import com.google.protobuf.Duration;
import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.Finish;
import inferencegateway.proto.llm.v1.FinishReason;
import inferencegateway.proto.llm.v1.Timing;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.proto.llm.v1.Usage;

/** The full contract's words. */
final class LlmWording implements Wording<TokenChunk> {

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  @Override
  public TokenChunk piece(AnswerHead head, Delta delta, boolean first) {
    TokenChunk.Builder chunk = TokenChunk.newBuilder().setToken(delta.text());
    if (!delta.reasoning().isEmpty()) {
      chunk.setReasoning(delta.reasoning());
    }
    if (first) {
      chunk.setId(head.id()).setModel(head.model());
    }
    return chunk.build();
  }

  @Override
  public TokenChunk last(
      AnswerHead head,
      inferencegateway.chat.Finish finish,
      inferencegateway.chat.Usage usage,
      CallTiming timing) {
    return TokenChunk.newBuilder()
        .setDone(true)
        .setId(head.id())
        .setModel(head.model())
        .setUsage(usage(usage))
        .setFinish(finish(finish))
        .setTiming(timing(timing))
        .build();
  }

  static CompleteResponse whole(
      AnswerHead head,
      Delta all,
      inferencegateway.chat.Finish finish,
      inferencegateway.chat.Usage usage,
      CallTiming timing) {
    return CompleteResponse.newBuilder()
        .setText(all.text())
        .setReasoning(all.reasoning())
        .setId(head.id())
        .setModel(head.model())
        .setUsage(usage(usage))
        .setFinish(finish(finish))
        .setTiming(timing(timing))
        .build();
  }

  private static Usage usage(inferencegateway.chat.Usage usage) {
    Usage.Builder words =
        Usage.newBuilder()
            .setInputTokens(usage.input())
            .setOutputTokens(usage.output())
            .setTotalTokens(usage.total())
            .setExact(usage.exact());
    if (usage.cachedInput() != null) {
      words.setCachedInputTokens(usage.cachedInput());
    }
    if (usage.reasoning() != null) {
      words.setReasoningTokens(usage.reasoning());
    }
    return words.build();
  }

  private static Finish finish(inferencegateway.chat.Finish finish) {
    Finish.Builder words =
        Finish.newBuilder().setReason(reason(finish.reason())).setRaw(finish.raw());
    if (finish.stopText() != null) {
      words.setStopText(finish.stopText());
    } else if (finish.stopTokenId() != null) {
      words.setStopTokenId(finish.stopTokenId());
    }
    return words.build();
  }

  private static FinishReason reason(inferencegateway.chat.FinishReason reason) {
    return switch (reason) {
      case STOP -> FinishReason.FINISH_REASON_STOP;
      case LENGTH -> FinishReason.FINISH_REASON_LENGTH;
      case TOOL_CALLS -> FinishReason.FINISH_REASON_TOOL_CALLS;
      case CONTENT_FILTER -> FinishReason.FINISH_REASON_CONTENT_FILTER;
      case TIME_LIMIT -> FinishReason.FINISH_REASON_TIME_LIMIT;
      case UNKNOWN -> FinishReason.FINISH_REASON_UNSPECIFIED;
    };
  }

  private static Timing timing(CallTiming timing) {
    Timing.Builder words = Timing.newBuilder();
    if (timing.queue() >= 0) {
      words.setQueue(duration(timing.queue()));
    }
    if (timing.firstToken() >= 0) {
      words.setFirstToken(duration(timing.firstToken()));
    }
    if (timing.total() >= 0) {
      words.setTotal(duration(timing.total()));
    }
    return words.build();
  }

  private static Duration duration(long nanos) {
    return Duration.newBuilder()
        .setSeconds(nanos / NANOS_PER_SECOND)
        .setNanos((int) (nanos % NANOS_PER_SECOND))
        .build();
  }
}
