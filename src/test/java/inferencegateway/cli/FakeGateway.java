package inferencegateway.cli;

import com.google.protobuf.util.Durations;
import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.InferenceServiceGrpc.InferenceServiceImplBase;
import inferencegateway.proto.inference.TokenResponse;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.Finish;
import inferencegateway.proto.llm.v1.LLMServiceGrpc.LLMServiceImplBase;
import inferencegateway.proto.llm.v1.Timing;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.proto.llm.v1.Usage;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A small gRPC server that answers both contracts as it is told; also a {@link RunningGateway}. */
final class FakeGateway implements RunningGateway {

  static final Usage USAGE = Usage.newBuilder().setInputTokens(3).setOutputTokens(2).build();
  static final Timing TIMING = Timing.newBuilder().setFirstToken(Durations.fromMillis(7)).build();
  static final Finish STOP = Finish.newBuilder().setRaw("stop").build();

  final LinkedBlockingQueue<CompleteRequest> completes = new LinkedBlockingQueue<>();
  final LinkedBlockingQueue<GenerateRequest> generates = new LinkedBlockingQueue<>();
  final CountDownLatch hanging = new CountDownLatch(1);
  final CountDownLatch cancelled = new CountDownLatch(1);

  /** What each call had for authorization, or null in words. */
  final LinkedBlockingQueue<String> authorizations = new LinkedBlockingQueue<>();

  final Semaphore reloads = new Semaphore(0);
  final HealthStatusManager health = new HealthStatusManager();
  private final Server server;
  private volatile @Nullable StatusRuntimeException failure;
  private volatile boolean hangs;
  private volatile Runnable whenAwaited = () -> {};

  private FakeGateway(ServerCredentials credentials, int port) {
    server =
        Grpc.newServerBuilderForPort(port, credentials)
            .addService(new Llm())
            .addService(new Inference())
            .addService(health.getHealthService())
            .intercept(new Authorizations())
            .build();
  }

  @Override
  public void reload() {
    reloads.release();
  }

  static FakeGateway start() throws IOException {
    return start(InsecureServerCredentials.create(), 0);
  }

  static FakeGateway start(ServerCredentials credentials, int port) throws IOException {
    FakeGateway gateway = new FakeGateway(credentials, port);
    gateway.server.start();
    return gateway;
  }

  String target() {
    return "localhost:" + port();
  }

  void failWith(StatusRuntimeException e) {
    failure = e;
  }

  /** Runs when somebody begins to wait for the end; signals have their handlers by then. */
  FakeGateway whenAwaited(Runnable step) {
    whenAwaited = step;
    return this;
  }

  boolean reloadedWithin(Duration most) {
    try {
      return reloads.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Streams then never go on after their first token. */
  void hang() {
    hangs = true;
  }

  static StatusRuntimeException withTrailers(StatusRuntimeException e, String... namesAndValues) {
    Metadata trailers = new Metadata();
    if (e.getTrailers() != null) {
      trailers.merge(e.getTrailers());
    }
    for (int i = 0; i < namesAndValues.length; i += 2) {
      trailers.put(
          Metadata.Key.of(namesAndValues[i], Metadata.ASCII_STRING_MARSHALLER),
          namesAndValues[i + 1]);
    }
    return e.getStatus().asRuntimeException(trailers);
  }

  private final class Authorizations implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      authorizations.add(String.valueOf(headers.get(AUTHORIZATION)));
      return next.startCall(call, headers);
    }
  }

  private final class Llm extends LLMServiceImplBase {

    @Override
    public void completeStream(CompleteRequest request, StreamObserver<TokenChunk> chunks) {
      completes.add(request);
      if (refused(chunks)) {
        return;
      }
      ((ServerCallStreamObserver<TokenChunk>) chunks).setOnCancelHandler(cancelled::countDown);
      chunks.onNext(TokenChunk.newBuilder().setReasoning("hm").build());
      chunks.onNext(TokenChunk.newBuilder().setToken("Grüß ").build());
      if (hangs) {
        hanging.countDown();
        return;
      }
      chunks.onNext(TokenChunk.newBuilder().setToken("Gott 世界").build());
      chunks.onNext(
          TokenChunk.newBuilder()
              .setDone(true)
              .setModel("m")
              .setUsage(USAGE)
              .setFinish(STOP)
              .setTiming(TIMING)
              .build());
      chunks.onCompleted();
    }

    @Override
    public void complete(CompleteRequest request, StreamObserver<CompleteResponse> response) {
      completes.add(request);
      if (!refused(response)) {
        response.onNext(
            CompleteResponse.newBuilder()
                .setText("whole")
                .setModel("m")
                .setUsage(USAGE)
                .setFinish(STOP)
                .build());
        response.onCompleted();
      }
    }
  }

  private final class Inference extends InferenceServiceImplBase {

    @Override
    public void generateStream(GenerateRequest request, StreamObserver<TokenResponse> tokens) {
      generates.add(request);
      for (String token : List.of("a", "b")) {
        tokens.onNext(TokenResponse.newBuilder().setToken(token).build());
      }
      tokens.onNext(
          TokenResponse.newBuilder()
              .setDone(true)
              .setFinishReason("length")
              .setInputTokens(3)
              .setOutputTokens(2)
              .build());
      tokens.onCompleted();
    }

    @Override
    public void generate(GenerateRequest request, StreamObserver<GenerateResponse> response) {
      generates.add(request);
      response.onNext(
          GenerateResponse.newBuilder()
              .setContent("whole")
              .setModel("m")
              .setFinishReason("stop")
              .setInputTokens(3)
              .setOutputTokens(2)
              .build());
      response.onCompleted();
    }
  }

  private boolean refused(StreamObserver<?> observer) {
    StatusRuntimeException e = failure;
    if (e != null) {
      observer.onError(e);
    }
    return e != null;
  }

  static ChatMessage message(String role, String content) {
    return ChatMessage.newBuilder().setRole(role).setContent(content).build();
  }

  @Override
  public int port() {
    return server.getPort();
  }

  @Override
  public int healthPort() {
    return -1;
  }

  @Override
  public int metricsPort() {
    return -1;
  }

  @Override
  public int adminPort() {
    return -1;
  }

  @Override
  public boolean awaitReady(Duration most) {
    return true;
  }

  @Override
  public void drainAndStop() {
    server.shutdownNow();
  }

  @Override
  public void stopNow() {
    server.shutdownNow();
  }

  @Override
  public void awaitTermination() throws InterruptedException {
    whenAwaited.run();
    server.awaitTermination();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
