package inferencegateway.upstream;

import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatRequest;
import inferencegateway.http.CallLoop;

@com.google.errorprone.annotations.DoNotMock
@SuppressWarnings("DoNotCallSuggester")
public final class OpenAiBackend {
  public UpstreamCall chat(
      CallLoop loop,
      ChatRequest request,
      boolean stream,
      String requestId,
      AnswerListener listener) {
    throw new IllegalStateException();
  }
}
