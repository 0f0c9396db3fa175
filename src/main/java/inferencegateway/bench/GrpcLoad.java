package inferencegateway.bench;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.proto.llm.v1.Stopping;
import inferencegateway.proto.llm.v1.TokenChunk;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Callers of {@code llm.v1} over a few connections, on the loops, without an executor. */
final class GrpcLoad implements Load {

  private static final int CONNECTIONS = 8;

  private final Meter meter;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private volatile boolean closed;

  GrpcLoad(int port, LoadLoops loops, Meter meter) {
    this.meter = meter;
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(
          NettyChannelBuilder.forAddress("127.0.0.1", port)
              .usePlaintext()
              .directExecutor()
              .eventLoopGroup(loops.group())
              .channelType(loops.sockets())
              .build());
    }
  }

  @Override
  public void start(int callers, Ask ask) {
    for (int i = 0; i < callers; i++) {
      ManagedChannel channel = channels.get(i % CONNECTIONS);
      if (ask.streamed()) {
        MethodDescriptor<CompleteRequest, TokenChunk> method =
            LLMServiceGrpc.getCompleteStreamMethod();
        ask(channel, method, request(ask), (counted, chunk) -> counted.text(chunk.getToken()));
      } else {
        MethodDescriptor<CompleteRequest, CompleteResponse> method =
            LLMServiceGrpc.getCompleteMethod();
        ask(channel, method, request(ask), (counted, whole) -> {});
      }
    }
  }

  static CompleteRequest request(Ask ask) {
    return CompleteRequest.newBuilder()
        .addMessages(Message.newBuilder().setRole("user").setContent(ask.prompt()))
        .setMaxTokens(ask.tokens())
        .setStopping(Stopping.newBuilder().setIgnoreEos(true))
        .build();
  }

  private <A> void ask(
      ManagedChannel channel,
      MethodDescriptor<CompleteRequest, A> method,
      CompleteRequest request,
      BiConsumer<Meter, A> reading) {
    ClientCall<CompleteRequest, A> call = channel.newCall(method, CallOptions.DEFAULT);
    ClientCall.Listener<A> listener =
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(A message) {
            reading.accept(meter, message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            if (!closed && counted(status)) {
              ask(channel, method, request, reading);
            }
          }
        };
    call.start(listener, new Metadata());
    // Never asks again: asking message by message would cost the load a task each.
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    call.halfClose();
  }

  /** Whether to go on. */
  private boolean counted(Status status) {
    if (status.isOk()) {
      meter.answered();
      return true;
    }
    meter.failed();
    return meter.failures() < MOST_FAILURES;
  }

  @Override
  public void close() {
    closed = true;
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel channel : channels) {
        channel.awaitTermination(2, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
