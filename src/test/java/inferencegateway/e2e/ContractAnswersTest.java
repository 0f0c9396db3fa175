package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.MessageLite;
import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.GenerateResponse;
import inferencegateway.proto.inference.TokenResponse;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.FinishReason;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked reaches the backend as it was said, and what it answers reaches the caller. */
class ContractAnswersTest {

  private static final String GENERATE = "/inference.InferenceService/Generate";
  private static final String GENERATE_STREAM = "/inference.InferenceService/GenerateStream";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Scene scene;

  private final String id = Scene.newId();
  private RawH2 h2;

  @BeforeAll
  static void start() {
    scene = Scene.start(Map.of());
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  @BeforeEach
  void connect() {
    h2 = scene.connect();
  }

  @AfterEach
  void nothingIsLeft() {
    h2.close();
    scene.rig().awaitQuiet();
  }

  private RawStream send(String path, MessageLite request) {
    return Scene.named(h2, path, id).open().message(request).halfClose().awaitEnd(SOON);
  }

  private RawStream ok(String path, MessageLite request) {
    RawStream call = send(path, request);
    assertEquals(OptionalInt.of(0), call.status());
    assertEquals(id, Objects.requireNonNull(call.trailers()).get("x-request-id"));
    return call;
  }

  private void assertBody(String expected) throws Exception {
    JsonNode body = JSON.readTree(scene.awaitUpstream(id).body());
    assertEquals(JSON.readTree(expected.replace('\'', '"')), body);
  }

  private static GenerateRequest.Builder generate() {
    return GenerateRequest.newBuilder()
        .setModel(Scene.MODEL)
        .addMessages(ChatMessage.newBuilder().setRole("user").setContent("hello"));
  }

  @Test
  void whatIsNotSetIsNotSent() throws Exception {
    ok(WHOLE, ask("").build());
    assertBody(
        "{'model':'simulated-model','messages':[{'role':'user','content':'hello'}],"
            + "'max_tokens':1024,'stream':false}");
  }

  @Test
  void streamAsksForUsage() throws Exception {
    ok(STREAM, ask("").build());
    assertBody(
        "{'model':'simulated-model','messages':[{'role':'user','content':'hello'}],"
            + "'max_tokens':1024,'stream':true,'stream_options':{'include_usage':true}}");
  }

  @Test
  void everySamplingAndStoppingFieldIsSentAsSaid() throws Exception {
    CompleteRequest.Builder ask = ask("").setMaxTokens(7);
    ask.getSamplingBuilder()
        .setTemperature(0.7)
        .setTopP(0.9)
        .setTopK(40)
        .setMinP(0.05)
        .setFrequencyPenalty(-0.5)
        .setPresencePenalty(0.25)
        .setRepetitionPenalty(1.1)
        .setSeed(9_007_199_254_740_993L)
        .putLogitBias(42, -1.5);
    ask.getStoppingBuilder()
        .addStop("\n\n")
        .addStop("終")
        .addStopTokenIds(2)
        .setIncludeStopText(true)
        .setMinTokens(3)
        .setIgnoreEos(true);
    ok(WHOLE, ask.build());
    assertBody(
        "{'model':'simulated-model','messages':[{'role':'user','content':'hello'}],"
            + "'max_tokens':7,'stream':false,'temperature':0.7,'top_p':0.9,'top_k':40,"
            + "'min_p':0.05,'frequency_penalty':-0.5,'presence_penalty':0.25,"
            + "'repetition_penalty':1.1,'seed':9007199254740993,'logit_bias':{'42':-1.5},"
            + "'stop':['\\n\\n','終'],'stop_token_ids':[2],'include_stop_str_in_output':true,"
            + "'min_tokens':3,'ignore_eos':true}");
  }

  @Test
  void explicitZeroIsSentAsZero() throws Exception {
    CompleteRequest.Builder ask = ask("");
    ask.getSamplingBuilder().setTemperature(0).setSeed(0).setTopK(0).setMinP(0);
    ask.getStoppingBuilder().setMinTokens(0).setIgnoreEos(false).setIncludeStopText(false);
    ok(WHOLE, ask.build());
    JsonNode body = JSON.readTree(scene.awaitUpstream(id).body());
    assertEquals(0, body.get("temperature").doubleValue());
    for (String field : List.of("seed", "top_k", "min_p", "min_tokens")) {
      assertEquals(0, body.get(field).doubleValue(), field);
    }
    assertFalse(body.get("ignore_eos").booleanValue());
    assertFalse(body.get("include_stop_str_in_output").booleanValue());
  }

  @Test
  void smallContractSendsItsDefaults() throws Exception {
    ok(GENERATE, generate().build());
    assertBody(
        "{'model':'simulated-model','messages':[{'role':'user','content':'hello'}],"
            + "'max_tokens':256,'temperature':0.7,'stream':false}");
  }

  @Test
  void smallContractSendsWhatIsSaid() throws Exception {
    ok(
        GENERATE_STREAM,
        generate()
            .setMaxTokens(9)
            .setTemperature(0)
            .setTopP(0.7f)
            .addStop("x")
            .setSeed(-1)
            .build());
    assertBody(
        "{'model':'simulated-model','messages':[{'role':'user','content':'hello'}],"
            + "'max_tokens':9,'temperature':0.0,'top_p':0.7,'stop':['x'],'seed':-1,"
            + "'stream':true,'stream_options':{'include_usage':true}}");
  }

  @Test
  void smallContractTellsFinishAndCounts() throws Exception {
    RawStream whole = ok(GENERATE, generate().setMaxTokens(5).build());
    GenerateResponse answer = GenerateResponse.parseFrom(whole.messages().get(0));
    assertEquals("length", answer.getFinishReason());
    assertEquals(5, answer.getOutputTokens());
    assertTrue(answer.getInputTokens() > 0);
    assertEquals(answer.getInputTokens() + 5, answer.getTokensUsed());
    assertEquals(Scene.MODEL, answer.getModel());
  }

  @Test
  void smallContractsLastTokenTellsFinishAndCounts() throws Exception {
    List<byte[]> messages = ok(GENERATE_STREAM, generate().build()).messages();
    TokenResponse last = TokenResponse.parseFrom(messages.get(messages.size() - 1));
    assertTrue(last.getDone());
    assertEquals("stop", last.getFinishReason());
    assertEquals(20, last.getOutputTokens());
    assertTrue(last.getInputTokens() > 0);
    assertFalse(TokenResponse.parseFrom(messages.get(0)).getDone());
  }

  @Test
  void wholeAnswerTellsEverything() throws Exception {
    RawStream call = ok(WHOLE, ask("").setMaxTokens(5).build());
    CompleteResponse answer = CompleteResponse.parseFrom(call.messages().get(0));
    assertFalse(answer.getText().isEmpty());
    assertEquals(Scene.MODEL, answer.getModel());
    assertTrue(answer.getId().startsWith("chatcmpl-" + id));
    assertEquals(FinishReason.FINISH_REASON_LENGTH, answer.getFinish().getReason());
    assertEquals("length", answer.getFinish().getRaw());
    assertTrue(answer.getUsage().getExact());
    assertEquals(5, answer.getUsage().getOutputTokens());
    assertEquals(answer.getUsage().getInputTokens() + 5, answer.getUsage().getTotalTokens());
    assertTrue(answer.getTiming().hasQueue() && answer.getTiming().hasTotal());
    assertFalse(answer.getTiming().hasFirstToken());
  }

  @Test
  void firstAndLastChunkTellWhoAnswers() throws Exception {
    List<TokenChunk> chunks = new ArrayList<>();
    for (byte[] message : ok(STREAM, ask("").build()).messages()) {
      chunks.add(TokenChunk.parseFrom(message));
    }
    TokenChunk first = chunks.get(0);
    TokenChunk last = chunks.get(chunks.size() - 1);
    assertEquals(Scene.MODEL, first.getModel());
    assertEquals(first.getId(), last.getId());
    assertEquals(first.getModel(), last.getModel());
    assertTrue(chunks.get(1).getId().isEmpty() && chunks.get(1).getModel().isEmpty());
    assertEquals(FinishReason.FINISH_REASON_STOP, last.getFinish().getReason());
    assertTrue(last.getTiming().hasFirstToken() && last.getTiming().hasTotal());
    assertTrue(last.getUsage().getExact());
    assertEquals(20, last.getUsage().getOutputTokens());
    assertEquals(1, chunks.stream().filter(TokenChunk::getDone).count());
    assertEquals(1, chunks.stream().filter(TokenChunk::hasUsage).count());
  }

  @Test
  void stopThatWasMetIsNamed() throws Exception {
    CompleteRequest.Builder ask = ask("");
    ask.getStoppingBuilder().addStop("e");
    CompleteResponse answer = CompleteResponse.parseFrom(ok(WHOLE, ask.build()).messages().get(0));
    assertEquals(FinishReason.FINISH_REASON_STOP, answer.getFinish().getReason());
    assertEquals("e", answer.getFinish().getStopText());
    assertFalse(answer.getText().contains("e"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"reasoning=5", "reasoning-content=5"})
  void reasoningIsKeptApart(String fault) throws Exception {
    CompleteResponse whole =
        CompleteResponse.parseFrom(ok(WHOLE, ask(fault).build()).messages().get(0));
    assertFalse(whole.getReasoning().isEmpty());
    assertFalse(whole.getText().isEmpty());
  }

  @Test
  void reasoningStreamsBeforeTheText() throws Exception {
    List<byte[]> messages = ok(STREAM, ask("reasoning=5").build()).messages();
    for (int i = 0; i < 20; i++) {
      TokenChunk chunk = TokenChunk.parseFrom(messages.get(i));
      assertEquals(i < 5, !chunk.getReasoning().isEmpty(), "chunk " + i);
      assertEquals(i >= 5, !chunk.getToken().isEmpty(), "chunk " + i);
    }
  }

  @Test
  void unknownFinishWordIsPassedOn() throws Exception {
    CompleteResponse answer =
        CompleteResponse.parseFrom(ok(WHOLE, ask("finish=mystery").build()).messages().get(0));
    assertEquals(FinishReason.FINISH_REASON_UNSPECIFIED, answer.getFinish().getReason());
    assertEquals("mystery", answer.getFinish().getRaw());
  }

  @Test
  void unnamedModelAmongSeveralIsRefusedWithTheirNames() {
    try (Scene other = Scene.start(sim -> sim.withFault("own-roots"), Map.of());
        RawH2 connection = other.connect()) {
      RawStream call = Scene.open(connection, WHOLE, id, ask("").clearModel()).awaitEnd(SOON);
      assertTrue(call.isTrailersOnly());
      assertEquals(OptionalInt.of(3), call.status());
      ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
      assertEquals("INVALID_REQUEST", details.reason());
      assertEquals("model", details.badRequest().orElseThrow().getFieldViolations(0).getField());
      assertTrue(details.status().getMessage().contains("qwen2.5-coder:32b"));
      other.assertNothingUpstream(id);
    }
  }

  /** As when vLLM is started with several {@code --served-model-name}. */
  @Test
  void unnamedModelIsTheFirstNameOfTheOneModelThatIsServed() throws Exception {
    Scene.open(scene.connect(), WHOLE, id, ask("").clearModel()).awaitEnd(SOON);
    JsonNode body = JSON.readTree(scene.awaitUpstream(id).body());
    assertEquals("simulated-model", body.get("model").textValue());
  }

  @Test
  void unnamedModelIsTheConfiguredOne() throws Exception {
    try (Scene other = Scene.start(Map.of("model", "qwen2.5-coder:32b"));
        RawH2 connection = other.connect()) {
      Scene.open(connection, WHOLE, id, ask("").clearModel()).awaitEnd(SOON);
      JsonNode body = JSON.readTree(other.awaitUpstream(id).body());
      assertEquals("qwen2.5-coder:32b", body.get("model").textValue());
    }
  }

  @Test
  void unnamedModelIsTheOnlyOneServed() throws Exception {
    try (Scene other = Scene.start(sim -> sim.withModels(List.of("only")), Map.of());
        RawH2 connection = other.connect()) {
      Scene.open(connection, WHOLE, id, ask("").clearModel()).awaitEnd(SOON);
      JsonNode body = JSON.readTree(other.awaitUpstream(id).body());
      assertEquals("only", body.get("model").textValue());
    }
  }

  @Test
  void upstreamErrorBeforeTheFirstTokenIsTrailersOnly() {
    for (String path : List.of(STREAM, WHOLE)) {
      RawStream call = Scene.open(h2, path, Scene.newId(), ask("status=500")).awaitEnd(SOON);
      assertTrue(call.isTrailersOnly());
      assertEquals(OptionalInt.of(14), call.status());
      ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
      assertEquals("UPSTREAM_ERROR", details.reason());
      assertEquals("-1", details.pushback());
    }
  }

  @Test
  void upstreamErrorAfterTokensComesAfterThem() {
    RawStream call = send(STREAM, ask("drop-after=3").build());
    assertEquals(3, call.messages().size());
    assertEquals(OptionalInt.of(14), call.status());
    ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
    assertEquals("UPSTREAM_TRUNCATED", details.reason());
    assertEquals("-1", details.pushback());
    assertEquals(id, details.requestId());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "has space", "a/b", "semi;colon", "ünï"})
  void requestIdThatIsNotHarmlessIsReplaced(String bad) {
    RawStream call =
        h2.call(STREAM)
            .with("x-request-id", bad)
            .open()
            .message(ask("").build())
            .halfClose()
            .awaitEnd(SOON);
    assertEquals(OptionalInt.of(0), call.status());
    String ours = Objects.requireNonNull(call.trailers()).get("x-request-id");
    assertTrue(Objects.requireNonNull(ours).matches("[0-9a-f]{32}"), ours);
    assertNotEquals(bad, ours);
    assertEquals("ok", scene.awaitLine(ours).outcome());
  }

  @Test
  void requestIdThatIsTooLongIsReplaced() {
    RawStream call =
        h2.call(STREAM)
            .with("x-request-id", "x".repeat(129))
            .open()
            .message(ask("").build())
            .halfClose()
            .awaitEnd(SOON);
    String ours = Objects.requireNonNull(call.trailers()).get("x-request-id");
    assertEquals(32, Objects.requireNonNull(ours).length());
  }
}
