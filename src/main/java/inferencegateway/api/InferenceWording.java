package inferencegateway.api;

import inferencegateway.call.CallTiming;
import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.TokenResponse;
import org.jspecify.annotations.Nullable;

/** The small contract's words. It has none for reasoning. */
final class InferenceWording implements Wording<TokenResponse> {

  @Override
  public @Nullable TokenResponse piece(AnswerHead head, Delta delta, boolean first) {
    return delta.text().isEmpty()
        ? null
        : TokenResponse.newBuilder().setToken(delta.text()).build();
  }

  @Override
  public TokenResponse last(AnswerHead head, Finish finish, Usage usage, CallTiming timing) {
    return TokenResponse.newBuilder()
        .setDone(true)
        .setFinishReason(finish.raw())
        .setInputTokens(usage.input())
        .setOutputTokens(usage.output())
        .build();
  }

  static GenerateResponse whole(
      AnswerHead head, Delta all, Finish finish, Usage usage, CallTiming timing) {
    return GenerateResponse.newBuilder()
        .setContent(all.text())
        .setModel(head.model())
        .setTokensUsed(usage.total())
        .setFinishReason(finish.raw())
        .setInputTokens(usage.input())
        .setOutputTokens(usage.output())
        .build();
  }
}
