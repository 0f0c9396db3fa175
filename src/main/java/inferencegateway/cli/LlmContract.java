package inferencegateway.cli;

import com.google.protobuf.util.Durations;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.Finish;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.proto.llm.v1.Timing;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.proto.llm.v1.Usage;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** {@code llm.v1.LLMService}. */
final class LlmContract implements Contract {

  @Override
  public Ending stream(Channel channel, Duration deadline, Prompt prompt, Answer answer) {
    Iterator<TokenChunk> chunks = stub(channel, deadline).completeStream(request(prompt));
    Ending ending = new Ending("", "", 0, 0, null);
    while (chunks.hasNext()) {
      TokenChunk chunk = chunks.next();
      answer.message(chunk);
      answer.reasoning(chunk.getReasoning());
      answer.text(chunk.getToken());
      if (chunk.getDone()) {
        ending = ending(chunk.getModel(), chunk.getFinish(), chunk.getUsage(), chunk.getTiming());
      }
    }
    return ending;
  }

  @Override
  public Ending whole(Channel channel, Duration deadline, Prompt prompt, Answer answer) {
    CompleteResponse response = stub(channel, deadline).complete(request(prompt));
    answer.message(response);
    answer.reasoning(response.getReasoning());
    answer.text(response.getText());
    return ending(
        response.getModel(), response.getFinish(), response.getUsage(), response.getTiming());
  }

  private static LLMServiceGrpc.LLMServiceBlockingStub stub(Channel channel, Duration deadline) {
    return LLMServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static Ending ending(String model, Finish finish, Usage usage, Timing timing) {
    return new Ending(
        model,
        finish.getRaw(),
        usage.getInputTokens(),
        usage.getOutputTokens(),
        timing.hasFirstToken()
            ? Duration.ofNanos(Durations.toNanos(timing.getFirstToken()))
            : null);
  }

  private static CompleteRequest request(Prompt prompt) {
    CompleteRequest.Builder request = CompleteRequest.newBuilder();
    if (prompt.system() != null) {
      request.addMessages(message("system", prompt.system()));
    }
    request.addMessages(message("user", prompt.text()));
    if (prompt.model() != null) {
      request.setModel(prompt.model());
    }
    if (prompt.maxTokens() != null) {
      request.setMaxTokens(prompt.maxTokens());
    }
    if (prompt.temperature() != null) {
      request.getSamplingBuilder().setTemperature(prompt.temperature());
    }
    return request.build();
  }

  private static Message message(String role, String content) {
    return Message.newBuilder().setRole(role).setContent(content).build();
  }
}
