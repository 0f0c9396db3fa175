package inferencegateway.testing;

import inference.Inference;
import inference.InferenceServiceGrpc;
import io.grpc.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import llm.v1.LLMServiceGrpc;
import llm.v1.Llm;

/**
 * Clients compiled from the contracts' first published text, asking as the programs published with
 * them do. Blocking; without a deadline where those have none.
 */
public final class SeedCallers {
  /** The model named in the published client of {@code llm.v1}. */
  public static final String LLM_MODEL = "qwen2.5-coder:32b";

  private final Channel channel;

  public SeedCallers(Channel channel) {
    this.channel = channel;
  }

  /** One user message, {@code max_tokens = 256}, {@code temperature = 0.7}. */
  public static Inference.GenerateRequest generateRequest(String prompt) {
    return Inference.GenerateRequest.newBuilder()
        .addMessages(Inference.ChatMessage.newBuilder().setRole("user").setContent(prompt))
        .setMaxTokens(256)
        .setTemperature(0.7f)
        .build();
  }

  /** One user message to {@link #LLM_MODEL}, nothing else set. */
  public static Llm.CompleteRequest completeRequest(String prompt) {
    return Llm.CompleteRequest.newBuilder()
        .setModel(LLM_MODEL)
        .addMessages(Llm.Message.newBuilder().setRole("user").setContent(prompt))
        .build();
  }

  public Inference.GenerateResponse generate(String prompt) {
    return inference().generate(generateRequest(prompt));
  }

  public List<Inference.TokenResponse> generateStream(String prompt) {
    List<Inference.TokenResponse> answer = new ArrayList<>();
    inference().generateStream(generateRequest(prompt)).forEachRemaining(answer::add);
    return answer;
  }

  public Inference.HealthResponse health() {
    return inference().health(Inference.HealthRequest.getDefaultInstance());
  }

  public Llm.CompleteResponse complete(String prompt) {
    return llm().complete(completeRequest(prompt));
  }

  public List<Llm.TokenChunk> completeStream(String prompt, Duration timeout) {
    List<Llm.TokenChunk> answer = new ArrayList<>();
    llm()
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .completeStream(completeRequest(prompt))
        .forEachRemaining(answer::add);
    return answer;
  }

  public InferenceServiceGrpc.InferenceServiceBlockingStub inference() {
    return InferenceServiceGrpc.newBlockingStub(channel);
  }

  public LLMServiceGrpc.LLMServiceBlockingStub llm() {
    return LLMServiceGrpc.newBlockingStub(channel);
  }
}
