package inferencegateway.e2e;

import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.inference.TokenResponse;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.proto.llm.v1.Sampling;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.CapturedMetadata;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import java.util.concurrent.TimeUnit;

/** The four ways to ask, so that what holds for all is written once. Blocking, seed 7. */
enum AskedMethod {
  GENERATE(false),
  GENERATE_STREAM(true),
  COMPLETE(false),
  COMPLETE_STREAM(true);

  private static final long SEED = 7;
  private static final int MAX_TOKENS = 4_096;
  private static final long DEADLINE_SECONDS = 30;

  private final boolean stream;

  AskedMethod(boolean stream) {
    this.stream = stream;
  }

  boolean isStream() {
    return stream;
  }

  /** One user message and everything that came back; never throws for a status. */
  Told ask(Channel channel, String prompt) {
    CapturedMetadata captured = new CapturedMetadata(channel);
    Told.Collector told = new Told.Collector(captured);
    try {
      send(captured.channel(), prompt, told);
      return told.completed();
    } catch (StatusRuntimeException e) {
      return told.failed(e);
    }
  }

  private void send(Channel channel, String prompt, Told.Collector told) {
    switch (this) {
      case GENERATE -> whole(inference(channel).generate(generate(prompt)), told);
      case GENERATE_STREAM ->
          inference(channel).generateStream(generate(prompt)).forEachRemaining(a -> add(a, told));
      case COMPLETE -> whole(llm(channel).complete(complete(prompt)), told);
      case COMPLETE_STREAM ->
          llm(channel).completeStream(complete(prompt)).forEachRemaining(a -> add(a, told));
    }
  }

  private static void whole(GenerateResponse answer, Told.Collector told) {
    told.piece(answer.getContent(), "");
    told.end(answer.getFinishReason(), answer.getInputTokens(), answer.getOutputTokens());
  }

  private static void add(TokenResponse answer, Told.Collector told) {
    if (answer.getDone()) {
      told.end(answer.getFinishReason(), answer.getInputTokens(), answer.getOutputTokens());
    } else {
      told.piece(answer.getToken(), "");
    }
  }

  private static void whole(CompleteResponse answer, Told.Collector told) {
    told.piece(answer.getText(), answer.getReasoning());
    told.end(
        answer.getFinish().getRaw(),
        answer.getUsage().getInputTokens(),
        answer.getUsage().getOutputTokens());
  }

  private static void add(TokenChunk answer, Told.Collector told) {
    if (answer.getDone()) {
      told.end(
          answer.getFinish().getRaw(),
          answer.getUsage().getInputTokens(),
          answer.getUsage().getOutputTokens());
    } else {
      told.piece(answer.getToken(), answer.getReasoning());
    }
  }

  private static InferenceServiceGrpc.InferenceServiceBlockingStub inference(Channel channel) {
    return timed(InferenceServiceGrpc.newBlockingStub(channel));
  }

  private static LLMServiceGrpc.LLMServiceBlockingStub llm(Channel channel) {
    return timed(LLMServiceGrpc.newBlockingStub(channel));
  }

  private static <S extends AbstractStub<S>> S timed(S stub) {
    return stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .withMaxInboundMessageSize(16 << 20);
  }

  static GenerateRequest generate(String prompt) {
    return GenerateRequest.newBuilder()
        .addMessages(ChatMessage.newBuilder().setRole("user").setContent(prompt))
        .setMaxTokens(MAX_TOKENS)
        .setSeed(SEED)
        .build();
  }

  static CompleteRequest complete(String prompt) {
    return CompleteRequest.newBuilder()
        .addMessages(Message.newBuilder().setRole("user").setContent(prompt))
        .setMaxTokens(MAX_TOKENS)
        .setSampling(Sampling.newBuilder().setSeed(SEED))
        .build();
  }
}
