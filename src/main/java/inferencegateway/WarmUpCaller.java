package inferencegateway;

import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The client of the warm-up: every method, good and bad, a few times. */
final class WarmUpCaller {

  /**
   * Loading classes is what the first caller would feel. More rounds only wake the compiler, which
   * takes CPU seconds of the start and makes the first call no faster: 40 rounds took a second of
   * CPU more than these.
   */
  private static final int ROUNDS = 8;

  private WarmUpCaller() {}

  /**
   * Returns when it has made its calls, or sooner.
   *
   * @param enough asked between calls
   */
  static void call(int port, BooleanSupplier enough) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().directExecutor().build();
    try {
      for (int i = 0; i < ROUNDS && !enough.getAsBoolean(); i++) {
        inference(channel);
        llm(channel);
      }
      refused(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void inference(ManagedChannel channel) {
    var stub = InferenceServiceGrpc.newBlockingStub(channel).withDeadlineAfter(5, TimeUnit.SECONDS);
    GenerateRequest.Builder request = GenerateRequest.newBuilder().setMaxTokens(16);
    request.addMessagesBuilder().setRole("user").setContent("warm up");
    drop(stub.generate(request.build()));
    stub.generateStream(request.build()).forEachRemaining(WarmUpCaller::drop);
  }

  private static void llm(ManagedChannel channel) {
    var stub = LLMServiceGrpc.newBlockingStub(channel).withDeadlineAfter(5, TimeUnit.SECONDS);
    CompleteRequest.Builder request = CompleteRequest.newBuilder().setMaxTokens(16);
    request.addMessagesBuilder().setRole("user").setContent("warm up");
    drop(stub.complete(request.build()));
    stub.completeStream(request.build()).forEachRemaining(WarmUpCaller::drop);
  }

  /** The path of errors is loaded too. */
  private static void refused(ManagedChannel channel) {
    try {
      drop(LLMServiceGrpc.newBlockingStub(channel).complete(CompleteRequest.getDefaultInstance()));
    } catch (StatusRuntimeException expected) {
      drop(expected);
    }
  }

  private static void drop(Object answer) {
    if (answer == null) {
      throw new IllegalStateException("stubs never answer null");
    }
  }
}
