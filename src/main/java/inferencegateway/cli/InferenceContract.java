package inferencegateway.cli;

import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.inference.TokenResponse;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** {@code inference.InferenceService}. */
final class InferenceContract implements Contract {

  @Override
  public Ending stream(Channel channel, Duration deadline, Prompt prompt, Answer answer) {
    Iterator<TokenResponse> tokens = stub(channel, deadline).generateStream(request(prompt));
    Ending ending = new Ending("", "", 0, 0, null);
    while (tokens.hasNext()) {
      TokenResponse token = tokens.next();
      answer.message(token);
      answer.text(token.getToken());
      if (token.getDone()) {
        ending =
            new Ending(
                "", token.getFinishReason(), token.getInputTokens(), token.getOutputTokens(), null);
      }
    }
    return ending;
  }

  @Override
  public Ending whole(Channel channel, Duration deadline, Prompt prompt, Answer answer) {
    GenerateResponse response = stub(channel, deadline).generate(request(prompt));
    answer.message(response);
    answer.text(response.getContent());
    return new Ending(
        response.getModel(),
        response.getFinishReason(),
        response.getInputTokens(),
        response.getOutputTokens(),
        null);
  }

  private static InferenceServiceGrpc.InferenceServiceBlockingStub stub(
      Channel channel, Duration deadline) {
    return InferenceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static GenerateRequest request(Prompt prompt) {
    GenerateRequest.Builder request = GenerateRequest.newBuilder();
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
      request.setTemperature(prompt.temperature().floatValue());
    }
    return request.build();
  }

  private static ChatMessage message(String role, String content) {
    return ChatMessage.newBuilder().setRole(role).setContent(content).build();
  }
}
