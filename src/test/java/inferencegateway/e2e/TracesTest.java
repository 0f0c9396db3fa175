package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.CANCEL;
import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.Pace;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import inferencegateway.testing.SeenSpan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a collector is told of calls. */
class TracesTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";

  private static Traced traced;
  private static Scene scene;

  @BeforeAll
  static void start() {
    traced = new Traced();
    scene =
        traced.during(
            () ->
                Scene.start(
                    sim -> sim.withLoops(2),
                    Map.of("slow-caller-stall", "2s", "gap-timeout", "1s")));
  }

  @AfterAll
  static void stop() {
    scene.close();
    traced.close();
  }

  @AfterEach
  void nothingIsLeft() {
    scene.assertAllIsWell();
  }

  private static SeenSpan only(List<SeenSpan> spans) {
    assertEquals(1, spans.size(), spans::toString);
    return spans.get(0);
  }

  private static RawStream called(RawH2 h2, String path, String id, CompleteRequest.Builder ask) {
    return Scene.open(h2, path, id, ask).grant(1 << 20).awaitEnd(SOON);
  }

  @Test
  void aStreamIsTheCallersSpanAndOneAttempts() {
    String id = Scene.newId();
    CompleteRequest.Builder ask = ask("", 20);
    ask.getSamplingBuilder().setTemperature(0.5).setTopP(0.9).setTopK(40).setSeed(7);
    try (RawH2 h2 = scene.connect()) {
      assertEquals(OptionalInt.of(0), called(h2, STREAM, id, ask).status());
    }
    SeenSpan server = traced.server(id);
    assertEquals("llm.v1.LLMService/CompleteStream", server.name());
    assertEquals("", server.parentId());
    assertFalse(server.failed());
    assertEquals(List.of("admitted", "first_token"), server.events());
    CallLog.Line line = scene.awaitLine(id);
    assertEquals(line.get("trace_id"), server.traceId());
    assertEquals(line.get("span_id"), server.spanId());
    assertTrue(line.get("trace_flags").matches("0[13]"), "sampled");
    assertEquals("grpc", server.get("rpc.system.name"));
    assertEquals("llm.v1.LLMService/CompleteStream", server.get("rpc.method"));
    assertEquals("OK", server.get("rpc.response.status_code"));
    assertEquals("127.0.0.1", server.get("network.peer.address"));
    assertEquals("ok", server.get("inference_gateway.outcome"));
    assertEquals(line.phase(), server.get("inference_gateway.phase"));
    assertEquals("1", server.get("inference_gateway.attempts"));
    assertEquals("true", server.get("gen_ai.request.stream"));
    assertEquals("20", server.get("gen_ai.usage.output_tokens"));
    assertEquals("", server.get("error.type"));

    SeenSpan attempt = only(traced.attempts(server));
    assertEquals("chat simulated-model", attempt.name());
    assertEquals(server.traceId(), attempt.traceId());
    assertFalse(attempt.failed());
    assertEquals(List.of("connected", "first_token"), attempt.events());
    assertEquals("chat", attempt.get("gen_ai.operation.name"));
    assertEquals("openai", attempt.get("gen_ai.provider.name"));
    assertEquals("simulated-model", attempt.get("gen_ai.request.model"));
    assertEquals("simulated-model", attempt.get("gen_ai.response.model"));
    assertTrue(attempt.get("gen_ai.response.id").startsWith("chatcmpl-"), attempt::toString);
    assertEquals("20", attempt.get("gen_ai.request.max_tokens"));
    assertEquals("0.5", attempt.get("gen_ai.request.temperature"));
    assertEquals("0.9", attempt.get("gen_ai.request.top_p"));
    assertEquals("40", attempt.get("gen_ai.request.top_k"));
    assertEquals("7", attempt.get("gen_ai.request.seed"));
    assertEquals("[length]", attempt.get("gen_ai.response.finish_reasons"));
    assertEquals("20", attempt.get("gen_ai.usage.output_tokens"));
    assertEquals(line.get("input_tokens"), attempt.get("gen_ai.usage.input_tokens"));
    assertTrue(Double.parseDouble(attempt.get("gen_ai.response.time_to_first_chunk")) > 0.004);
    assertEquals("127.0.0.1", attempt.get("server.address"));
    assertEquals(Integer.toString(scene.rig().simulator().port()), attempt.get("server.port"));
    assertEquals(line.get("backend"), attempt.get("inference_gateway.backend"));
    assertTrue(attempt.raw().getEndTimeUnixNano() <= server.raw().getEndTimeUnixNano());
  }

  @Test
  void theTraceComesFromTheCallerAndGoesOnFromTheAttempt() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      Scene.named(h2, WHOLE, id)
          .with("traceparent", "00-" + TRACE + "-" + PARENT + "-01")
          .with("tracestate", "a=1,b@c=2")
          .open()
          .message(ask("").build())
          .halfClose()
          .awaitEnd(SOON);
    }
    SeenSpan server = traced.server(id);
    assertEquals(TRACE, server.traceId());
    assertEquals(PARENT, server.parentId());
    assertEquals("a=1,b@c=2", server.traceState());
    assertEquals(List.of("admitted"), server.events());
    SeenSpan attempt = only(traced.attempts(server));
    Map<String, String> upstream = scene.awaitUpstream(id).headers();
    assertEquals("00-" + TRACE + "-" + attempt.spanId() + "-01", upstream.get("traceparent"));
    assertEquals("a=1,b@c=2", upstream.get("tracestate"));
  }

  @Test
  void whatTheCallerDoesNotSampleIsNotSentButGoesOn() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      Scene.named(h2, STREAM, id)
          .with("traceparent", "00-" + TRACE + "-" + PARENT + "-00")
          .open()
          .message(ask("").build())
          .halfClose()
          .grant(1 << 20)
          .awaitEnd(SOON);
      String next = Scene.newId();
      called(h2, STREAM, next, ask(""));
      traced.server(next); // Sent later.
    }
    CallLog.Line line = scene.awaitLine(id);
    assertEquals(TRACE, line.get("trace_id"));
    assertEquals("00", line.get("trace_flags"));
    String upstream = scene.awaitUpstream(id).headers().get("traceparent");
    assertTrue(upstream.matches("00-" + TRACE + "-[0-9a-f]{16}-00"), upstream);
    assertFalse(upstream.contains(PARENT));
    assertFalse(traced.collector().everything().contains(id));
  }

  @Test
  void aFailureIsAnErrorOfBothUnderTheLogsWords() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      called(h2, STREAM, id, ask("stall-after=3"));
    }
    SeenSpan server = traced.server(id);
    CallLog.Line line = scene.awaitLine(id);
    assertEquals("INTER_TOKEN_TIMEOUT", line.reason());
    assertTrue(server.failed());
    assertEquals("INTER_TOKEN_TIMEOUT", server.error());
    assertEquals("UNAVAILABLE", server.get("error.type"));
    assertEquals("UNAVAILABLE", server.get("rpc.response.status_code"));
    assertEquals(line.reason(), server.get("inference_gateway.reason"));
    assertEquals(line.outcome(), server.get("inference_gateway.outcome"));
    SeenSpan attempt = only(traced.attempts(server));
    assertEquals("INTER_TOKEN_TIMEOUT", attempt.error());
    assertEquals("INTER_TOKEN_TIMEOUT", attempt.get("error.type"));
    assertEquals(List.of("connected", "first_token", "cancelled"), attempt.events());
  }

  @Test
  void whatTheBackendSaysOfAnErrorIsNotInTheSpans() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      called(h2, STREAM, id, ask("status=400;error-message=wordsofthebackend"));
    }
    SeenSpan server = traced.server(id);
    assertEquals("INVALID_ARGUMENT", server.get("rpc.response.status_code"));
    assertFalse(server.failed(), "the caller's fault is no error of the server");
    SeenSpan attempt = only(traced.attempts(server));
    assertEquals("INVALID_REQUEST", attempt.error());
    assertFalse(traced.collector().everything().contains("wordsofthebackend"));
  }

  @Test
  void aCallerThatLeavesIsNoFaultOfAnybodys() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      RawStream call = Scene.open(h2, STREAM, id, ask("stall-after=3"));
      scene.awaitTokens(id, 3);
      call.awaitMessages(1, SOON);
      call.reset(CANCEL);
      SeenSpan server = traced.server(id);
      assertEquals("client_cancel", server.get("inference_gateway.outcome"));
      assertEquals("CANCELLED", server.get("rpc.response.status_code"));
      assertFalse(server.failed());
      assertEquals(List.of("admitted", "first_token", "cancelled"), server.events());
      SeenSpan attempt = only(traced.attempts(server));
      assertFalse(attempt.failed());
      assertEquals(List.of("connected", "first_token", "cancelled"), attempt.events());
    }
  }

  @Test
  void slowCallersPausesAreToldButNotAllOfThem() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect(H2Behaviour.fixedWindow(0))) {
      RawStream call =
          Scene.open(h2, STREAM, id, ask("inter-token=0;big-answer=" + (2 << 20), 128));
      try (Pace pace = call.grantAtPace(40_000, Duration.ofMillis(10))) {
        call.awaitEnd(Duration.ofSeconds(40));
      }
      assertEquals(OptionalInt.of(0), call.status());
    }
    SeenSpan server = traced.server(id);
    int pauses = Integer.parseInt(server.get("inference_gateway.backpressure.count"));
    long told = server.events().stream().filter("paused"::equals).count();
    assertEquals(Math.min(16, pauses), told);
    assertTrue(server.events().contains("resumed"));
    assertTrue(Double.parseDouble(server.get("inference_gateway.backpressure.duration")) > 0);
    assertTrue(server.events().size() <= 36, server.events()::toString);
  }

  @Test
  void nothingOfPromptAnswerOrStopStringsIsInTheSpans() {
    CompleteRequest.Builder ask = ask("").setMaxTokens(30);
    ask.getMessagesBuilder(0).setContent("a-secret-of-the-prompt");
    ask.getStoppingBuilder().addStop("a-secret-stop");
    var answer =
        LLMServiceGrpc.newBlockingStub(scene.rig().callers().channel())
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .complete(ask.build());
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      called(h2, STREAM, id, ask);
    }
    traced.server(id);
    String everything = traced.collector().everything();
    assertFalse(everything.contains("a-secret"));
    assertTrue(answer.getText().length() > 40);
    assertFalse(everything.contains(answer.getText().substring(0, 20)));
  }

  @Test
  void whatIsRefusedBeforeABackendHasNoAttempt() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      called(h2, STREAM, id, ask("").setMaxTokens(-1));
    }
    SeenSpan server = traced.server(id);
    assertEquals("INVALID_REQUEST", server.get("inference_gateway.reason"));
    assertEquals("invalid", server.get("inference_gateway.outcome"));
    assertEquals("admission", server.get("inference_gateway.phase"));
    assertEquals(List.of(), traced.attempts(server));
    assertEquals(List.of(), server.events());
  }

  @Test
  void theResourceIsTheGateway() {
    String id = Scene.newId();
    try (RawH2 h2 = scene.connect()) {
      called(h2, WHOLE, id, ask(""));
    }
    traced.server(id);
    String resource = traced.collector().resources().get(0).toString();
    assertTrue(resource.contains("inference-gateway"), resource);
    assertTrue(resource.contains("service.version"), resource);
    assertTrue(resource.contains("service.instance.id"), resource);
    assertNotEquals("", resource);
  }
}
