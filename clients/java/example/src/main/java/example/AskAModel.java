package example;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.LLMServiceGrpc.LLMServiceBlockingStub;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.proto.llm.v1.TokenChunk;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.PrintStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A whole answer, a streamed one, one that is left in the middle, and one that is refused.
 *
 * <p>The environment variable {@code INFERENCE_GATEWAY_TARGET} names the gateway; without it,
 * {@code localhost:50051}.
 */
public final class AskAModel {

  private final LLMServiceBlockingStub gateway;
  private final PrintStream out;

  AskAModel(ManagedChannel channel, PrintStream out) {
    this.gateway = LLMServiceGrpc.newBlockingStub(channel);
    this.out = out;
  }

  public static void main(String[] args) throws InterruptedException {
    String target = System.getenv().getOrDefault("INFERENCE_GATEWAY_TARGET", "localhost:50051");
    ManagedChannel channel = channel(target);
    try {
      AskAModel example = new AskAModel(channel, System.out);
      example.whole("What is HTTP/2 flow control?");
      example.streamed("Tell me about GPUs.");
      example.left("Tell me everything about deadlines.", 3);
      example.refused();
    } finally {
      channel.shutdownNow().awaitTermination(5, SECONDS);
    }
  }

  /** One channel for the whole program: it keeps its connections and is safe for all threads. */
  static ManagedChannel channel(String target) {
    return Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
        .keepAliveTime(30, SECONDS) // a network that died is noticed; the gateway permits every 5 s
        .keepAliveWithoutCalls(true)
        .defaultLoadBalancingPolicy("round_robin") // over all addresses of the name
        .defaultServiceConfig(RETRY)
        .build();
  }

  /**
   * The deadline travels to the GPU: when it passes, the model stops. Every call should have one.
   */
  void whole(String prompt) {
    CompleteResponse answer = gateway.withDeadlineAfter(60, SECONDS).complete(ask(prompt));
    out.println(answer.getText());
    out.println(answer.getUsage().getOutputTokens() + " tokens, " + answer.getFinish().getReason());
  }

  /** A stream that ends without an exception is whole. */
  void streamed(String prompt) {
    Iterator<TokenChunk> chunks =
        gateway.withDeadlineAfter(60, SECONDS).completeStream(ask(prompt));
    while (chunks.hasNext()) {
      TokenChunk chunk = chunks.next();
      out.print(chunk.getToken());
      if (chunk.getDone()) {
        out.println();
        out.println(
            chunk.getUsage().getOutputTokens() + " tokens, " + chunk.getFinish().getReason());
      }
    }
  }

  /** Closing the context cancels the call, and with it the generation; a plain break would not. */
  void left(String prompt, int enough) {
    try (Context.CancellableContext call = Context.current().withCancellation()) {
      call.run(
          () -> {
            Iterator<TokenChunk> chunks =
                gateway.withDeadlineAfter(60, SECONDS).completeStream(ask(prompt));
            for (int read = 0; read < enough && chunks.hasNext(); read++) {
              out.print(chunks.next().getToken());
            }
          });
    }
    out.println(" ... enough");
  }

  /** Why a call failed, for programs: the status's details. */
  void refused() {
    try {
      gateway
          .withDeadlineAfter(60, SECONDS)
          .complete(ask("Hi").toBuilder().setMaxTokens(0).build());
    } catch (StatusRuntimeException failed) {
      out.println(failed.getStatus());
      explain(failed);
    }
  }

  private void explain(StatusRuntimeException failed) {
    com.google.rpc.Status status = StatusProto.fromThrowable(failed);
    if (status == null) {
      return; // closed by the library or by something on the way, not by the gateway
    }
    for (Any detail : status.getDetailsList()) {
      try {
        if (detail.is(ErrorInfo.class)) {
          ErrorInfo info = detail.unpack(ErrorInfo.class);
          out.println(
              info.getReason() + ", request " + info.getMetadataOrDefault("request_id", "unknown"));
        } else if (detail.is(BadRequest.class)) {
          for (BadRequest.FieldViolation wrong :
              detail.unpack(BadRequest.class).getFieldViolationsList()) {
            out.println(wrong.getField() + ": " + wrong.getDescription());
          }
        }
      } catch (InvalidProtocolBufferException unreadable) {
        out.println("a detail that cannot be read: " + detail.getTypeUrl());
      }
    }
  }

  private static CompleteRequest ask(String prompt) {
    return CompleteRequest.newBuilder()
        .addMessages(Message.newBuilder().setRole("user").setContent(prompt))
        .build();
  }

  /**
   * Whole answers are asked for again when the gateway says that it is safe (trailer {@code
   * grpc-retry-pushback-ms}). Streams are not: a caller who has seen tokens must decide.
   */
  private static final Map<String, ?> RETRY =
      Map.of(
          "methodConfig",
          List.of(
              Map.of(
                  "name",
                  List.of(
                      Map.of("service", "llm.v1.LLMService", "method", "Complete"),
                      Map.of("service", "inference.InferenceService", "method", "Generate")),
                  "retryPolicy",
                  Map.of(
                      "maxAttempts",
                      3.0,
                      "initialBackoff",
                      "0.2s",
                      "maxBackoff",
                      "2s",
                      "backoffMultiplier",
                      2.0,
                      "retryableStatusCodes",
                      List.of("UNAVAILABLE", "RESOURCE_EXHAUSTED")))));
}
