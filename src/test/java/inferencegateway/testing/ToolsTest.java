package inferencegateway.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import inference.Inference;
import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import llm.v1.LLMServiceGrpc;
import llm.v1.Llm;
import org.junit.jupiter.api.Test;

class ToolsTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  @Test
  void eventuallyWaitsAndGivesUp() {
    AtomicInteger looks = new AtomicInteger();
    Eventually.within(SOON).assertThat(() -> looks.incrementAndGet() == 3);
    assertEquals("there", Eventually.within(SOON).<String>get(() -> "there"));
    Eventually.within(SOON).passes(() -> assertTrue(looks.incrementAndGet() > 5));
    Eventually brief = Eventually.within(Duration.ofMillis(5));
    AssertionError failure =
        assertThrows(AssertionError.class, () -> brief.assertThat("never", () -> false));
    assertTrue(failure.getMessage().startsWith("never did not hold"));
    assertThrows(AssertionError.class, () -> brief.passes(() -> assertTrue(false)));
  }

  @Test
  void seedCallersSpeakBothContracts() {
    try (PlainServer server =
            PlainServer.start(b -> b.addService(new Echo()).addService(new LlmEcho()));
        Callers callers = new Callers(server.port())) {
      SeedCallers seeds = callers.seeds();
      assertEquals("hi", seeds.generate("hi").getContent());
      List<TokenResponse> tokens = seeds.generateStream("hi");
      assertEquals("hi", tokens.get(0).getToken());
      assertTrue(tokens.get(1).getDone());
      assertEquals("healthy", seeds.health().getStatus());
      assertEquals("hi", seeds.complete("hi").getText());
      assertEquals(2, seeds.completeStream("hi", SOON).size());
    }
  }

  @Test
  void slowCallerTakesOnlyWhatItAsksFor() {
    Flood flood = new Flood();
    try (PlainServer server = PlainServer.streaming(flood);
        Callers callers = new Callers(server.port())) {
      RecordingObserver<GenerateRequest, TokenResponse> slow = RecordingObserver.taking(1);
      InferenceServiceGrpc.newStub(callers.channel(b -> b.flowControlWindow(65_535)))
          .generateStream(SeedCallers.generateRequest("hi"), slow);
      slow.awaitMessages(1, SOON);
      assertTrue(Flood.happens(flood.notReady));
      assertEquals(1, slow.messages().size());
      slow.request(2);
      slow.awaitMessages(3, SOON);
      slow.cancel();
      assertEquals(Status.Code.CANCELLED, slow.awaitEnd(SOON).getCode());
      assertTrue(Flood.happens(flood.cancelled));
    }
  }

  @Test
  void errorDetailsAreReadByBothClients() {
    try (PlainServer server = PlainServer.start(b -> b.addService(new Refusing()));
        Callers callers = new Callers(server.port());
        RawH2 h2 = RawH2.connect(server.port())) {
      SeedCallers seeds = callers.seeds();
      assertRefusal(
          ErrorDetails.of(assertThrows(StatusRuntimeException.class, () -> seeds.generate("hi"))));
      RawStream raw = h2.call("/inference.InferenceService/Generate").open();
      raw.message(SeedCallers.generateRequest("hi")).halfClose().awaitEnd(SOON);
      assertTrue(raw.isTrailersOnly());
      assertRefusal(ErrorDetails.of(raw.trailers()));
    }
  }

  private static void assertRefusal(ErrorDetails details) {
    assertEquals(3, details.status().getCode());
    assertEquals("INVALID_REQUEST", details.reason());
    assertEquals("top_p", details.badRequest().orElseThrow().getFieldViolations(0).getField());
    assertEquals(2, details.retryInfo().orElseThrow().getRetryDelay().getSeconds());
    assertEquals("-1", details.pushback());
    assertEquals("r-1", details.requestId());
  }

  @Test
  void metadataOfSuccessfulCallIsCaptured() {
    try (PlainServer server = PlainServer.start(b -> b.addService(new Echo()));
        Callers callers = new Callers(server.port())) {
      CapturedMetadata captured = new CapturedMetadata(callers.channel());
      new SeedCallers(captured.channel()).health();
      assertTrue(captured.headers() != null && captured.trailers() != null);
      assertEquals(null, captured.trailer("x-request-id"));
    }
  }

  private static final class Echo extends InferenceServiceGrpc.InferenceServiceImplBase {
    @Override
    public void generate(
        GenerateRequest request, StreamObserver<Inference.GenerateResponse> answer) {
      String text = request.getMessages(0).getContent();
      answer.onNext(Inference.GenerateResponse.newBuilder().setContent(text).build());
      answer.onCompleted();
    }

    @Override
    public void generateStream(GenerateRequest request, StreamObserver<TokenResponse> answer) {
      String text = request.getMessages(0).getContent();
      answer.onNext(TokenResponse.newBuilder().setToken(text).build());
      answer.onNext(TokenResponse.newBuilder().setDone(true).build());
      answer.onCompleted();
    }

    @Override
    public void health(
        Inference.HealthRequest request, StreamObserver<Inference.HealthResponse> answer) {
      answer.onNext(Inference.HealthResponse.newBuilder().setStatus("healthy").build());
      answer.onCompleted();
    }
  }

  private static final class LlmEcho extends LLMServiceGrpc.LLMServiceImplBase {
    @Override
    public void complete(Llm.CompleteRequest request, StreamObserver<Llm.CompleteResponse> answer) {
      String text = request.getMessages(0).getContent();
      answer.onNext(Llm.CompleteResponse.newBuilder().setText(text).build());
      answer.onCompleted();
    }

    @Override
    public void completeStream(Llm.CompleteRequest request, StreamObserver<Llm.TokenChunk> answer) {
      answer.onNext(Llm.TokenChunk.newBuilder().setToken(request.getModel()).build());
      answer.onNext(Llm.TokenChunk.newBuilder().setDone(true).build());
      answer.onCompleted();
    }
  }

  private static final class Refusing extends InferenceServiceGrpc.InferenceServiceImplBase {
    @Override
    public void generate(
        GenerateRequest request, StreamObserver<Inference.GenerateResponse> answer) {
      Metadata trailers = new Metadata();
      put(trailers, "grpc-retry-pushback-ms", "-1");
      put(trailers, "x-request-id", "r-1");
      answer.onError(StatusProto.toStatusRuntimeException(refusal(), trailers));
    }

    private static void put(Metadata trailers, String name, String value) {
      trailers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    }

    private static com.google.rpc.Status refusal() {
      BadRequest.FieldViolation violation =
          BadRequest.FieldViolation.newBuilder().setField("top_p").build();
      RetryInfo.Builder retry = RetryInfo.newBuilder();
      retry.getRetryDelayBuilder().setSeconds(2);
      return com.google.rpc.Status.newBuilder()
          .setCode(3)
          .addDetails(Any.pack(ErrorInfo.newBuilder().setReason("INVALID_REQUEST").build()))
          .addDetails(Any.pack(BadRequest.newBuilder().addFieldViolations(violation).build()))
          .addDetails(Any.pack(retry.build()))
          .build();
    }
  }
}
