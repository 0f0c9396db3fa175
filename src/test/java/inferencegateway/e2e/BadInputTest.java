package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.HeaderList;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import inferencegateway.testing.RawTcp;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a caller sends costs that call only: nothing upstream, no trace in the log. */
class BadInputTest {

  private static final String GENERATE = "/inference.InferenceService/Generate";
  private static final int INTERNAL_ERROR = 2;

  private static Scene scene;

  private final String id = Scene.newId();
  private RawH2 h2;
  private RawStream bystander;

  /** It writes traces then, which room telemetry keeps out of the program's log. */
  private boolean libraryAnswers;

  @BeforeAll
  static void start() {
    scene = Scene.start(Map.of("limits.max-request-bytes", "4MiB"));
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  /** A stream that runs on the same connection all the time. */
  @BeforeEach
  void connect() {
    h2 = scene.connect();
    bystander = Scene.open(h2, STREAM, Scene.newId(), ask("", 5_000));
    bystander.awaitMessages(1, SOON);
  }

  @AfterEach
  void nobodyElseIsHurt() {
    assertFalse(h2.isClosed());
    assertFalse(bystander.isEnded());
    bystander.reset(Scene.CANCEL);
    String next = Scene.newId();
    assertEquals(OptionalInt.of(0), Scene.open(h2, STREAM, next, ask("")).awaitEnd(SOON).status());
    h2.close();
    scene.rig().awaitQuiet();
    scene.assertNothingUpstream(id);
    List<String> traces = scene.log().takeTraces();
    assertTrue(libraryAnswers || traces.isEmpty(), () -> "traces: " + traces);
  }

  private RawStream send(String path, byte[] request) {
    return Scene.named(h2, path, id).open().message(request).halfClose().awaitEnd(SOON);
  }

  private ErrorDetails assertRefused(RawStream call, Status.Code code, String reason) {
    assertTrue(call.isTrailersOnly());
    assertEquals(OptionalInt.of(code.value()), call.status());
    ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
    assertEquals(reason, details.reason());
    assertEquals("inference-gateway", details.errorInfo().orElseThrow().getDomain());
    assertEquals(id, details.requestId());
    assertEquals(id, details.errorInfo().orElseThrow().getMetadataOrThrow("request_id"));
    assertEquals("-1", details.pushback());
    assertTrue(details.retryInfo().isEmpty());
    return details;
  }

  private void assertInvalid(RawStream call, String... fields) {
    ErrorDetails details = assertRefused(call, Status.Code.INVALID_ARGUMENT, "INVALID_REQUEST");
    List<String> found =
        details.badRequest().orElseThrow().getFieldViolationsList().stream()
            .map(violation -> violation.getField())
            .toList();
    assertEquals(List.of(fields), found);
    CallLog.Line line = scene.awaitLine(id);
    assertEquals("invalid", line.outcome());
    assertEquals("admission", line.phase());
  }

  @ParameterizedTest
  @ValueSource(strings = {Scene.WHOLE, STREAM})
  void secondRequestIsUnimplemented(String path) {
    byte[] request = ask("").build().toByteArray();
    RawStream call = Scene.named(h2, path, id).open().message(request).message(request);
    assertRefused(call.awaitEnd(SOON), Status.Code.UNIMPLEMENTED, "REQUEST_COUNT");
  }

  @ParameterizedTest
  @ValueSource(strings = {STREAM, WHOLE, GENERATE})
  void malformedProtobufIsInternalWithOurDetails(String path) {
    byte[] malformed = {(byte) 0xff, 1, 2};
    assertRefused(send(path, malformed), Status.Code.INTERNAL, "MALFORMED_REQUEST");
    assertEquals("MALFORMED_REQUEST", scene.awaitLine(id).reason());
  }

  static Stream<Arguments> outOfRange() {
    return Stream.of(
        llm("messages", b -> b.clearMessages()),
        llm("messages[0].role", b -> b.getMessagesBuilder(0).setRole("wizard")),
        llm("max_tokens", b -> b.setMaxTokens(0)),
        llm("max_tokens", b -> b.setMaxTokens(-1)),
        llm("sampling.temperature", b -> b.getSamplingBuilder().setTemperature(Double.NaN)),
        llm("sampling.temperature", b -> b.getSamplingBuilder().setTemperature(-1)),
        llm("sampling.temperature", b -> b.getSamplingBuilder().setTemperature(1e9)),
        llm("sampling.top_p", b -> b.getSamplingBuilder().setTopP(0)),
        llm("sampling.top_k", b -> b.getSamplingBuilder().setTopK(-1)),
        llm("sampling.min_p", b -> b.getSamplingBuilder().setMinP(1.5)),
        llm("sampling.frequency_penalty", b -> b.getSamplingBuilder().setFrequencyPenalty(3)),
        llm("sampling.presence_penalty", b -> b.getSamplingBuilder().setPresencePenalty(-3)),
        llm("sampling.repetition_penalty", b -> b.getSamplingBuilder().setRepetitionPenalty(0)),
        llm("sampling.logit_bias[7]", b -> b.getSamplingBuilder().putLogitBias(7, 101)),
        llm("stopping.stop[0]", b -> b.getStoppingBuilder().addStop("")),
        llm("stopping.stop_token_ids", b -> b.getStoppingBuilder().addStopTokenIds(-1)),
        llm("stopping.min_tokens", b -> b.getStoppingBuilder().setMinTokens(5_000)),
        llm("time_limits.total", b -> b.getTimeLimitsBuilder().getTotalBuilder().setNanos(0)),
        llm("time_limits.on_time_limit", b -> b.getTimeLimitsBuilder().setOnTimeLimitValue(9)),
        llm("model", b -> b.setModel("a\nb")),
        small("messages", b -> b.clearMessages()),
        small("messages[0].role", b -> b.getMessagesBuilder(0).setRole("")),
        small("max_tokens", b -> b.setMaxTokens(0)),
        small("temperature", b -> b.setTemperature(Float.NaN)),
        small("temperature", b -> b.setTemperature(2.1f)),
        small("top_p", b -> b.setTopP(0)),
        small("stop[0]", b -> b.addStop("x".repeat(257))));
  }

  private interface Change<B> {
    void apply(B builder);
  }

  private static Arguments llm(String field, Change<CompleteRequest.Builder> change) {
    CompleteRequest.Builder request = ask("");
    change.apply(request);
    return Arguments.of(field, WHOLE, request.build());
  }

  private static Arguments small(String field, Change<GenerateRequest.Builder> change) {
    GenerateRequest.Builder request =
        GenerateRequest.newBuilder()
            .setModel(Scene.MODEL)
            .addMessages(ChatMessage.newBuilder().setRole("user").setContent("hello"));
    change.apply(request);
    return Arguments.of(field, GENERATE, request.build());
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource
  void outOfRange(String field, String path, MessageLite request) {
    assertInvalid(send(path, request.toByteArray()), field);
  }

  @Test
  void everythingThatIsWrongIsNamedAtOnce() {
    CompleteRequest.Builder ask = ask("").setMaxTokens(0);
    ask.getSamplingBuilder().setTemperature(9).setTopP(2);
    assertInvalid(
        send(STREAM, ask.build().toByteArray()),
        "max_tokens",
        "sampling.temperature",
        "sampling.top_p");
  }

  @Test
  void hundredThousandMessagesAreTooMany() {
    Message message = Message.newBuilder().setRole("user").setContent("x").build();
    CompleteRequest.Builder ask = ask("");
    for (int i = 0; i < 100_000; i++) {
      ask.addMessages(message);
    }
    assertInvalid(send(WHOLE, ask.build().toByteArray()), "messages");
  }

  @Test
  void thousandStopStringsAreTooMany() {
    CompleteRequest.Builder ask = ask("");
    for (int i = 0; i < 1_000; i++) {
      ask.getStoppingBuilder().addStop("stop" + i);
    }
    assertInvalid(send(WHOLE, ask.build().toByteArray()), "stopping.stop");
  }

  @Test
  void messageAboveTheLimitIsResourceExhausted() {
    RawStream call =
        Scene.named(h2, WHOLE, id).open().framed(0, (4 << 20) + 1, new byte[0]).awaitEnd(SOON);
    assertEquals(OptionalInt.of(Status.Code.RESOURCE_EXHAUSTED.value()), call.status());
    libraryAnswers = true;
  }

  @Test
  void gzipBombIsResourceExhausted() throws IOException {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bomb)) {
      CompleteRequest.Builder ask = ask("");
      ask.getMessagesBuilder(0).setContent("a".repeat(16 << 20));
      ask.build().writeTo(zip);
    }
    RawStream call =
        Scene.named(h2, WHOLE, id)
            .with("grpc-encoding", "gzip")
            .open()
            .compressed(bomb.toByteArray())
            .halfClose()
            .awaitEnd(SOON);
    assertRefused(call, Status.Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE");
  }

  @Test
  void metadataOfNineKibibytesIsServed() {
    String served = Scene.newId();
    RawStream call =
        Scene.named(h2, STREAM, served)
            .with("x-long", "v".repeat(9 * 1024))
            .open()
            .message(ask("").build())
            .halfClose()
            .awaitEnd(SOON);
    assertEquals(OptionalInt.of(0), call.status());
  }

  @Test
  void metadataAboveTheHardLimitCostsTheCallOnly() {
    RawStream call =
        Scene.named(h2, STREAM, id).with("x-long", "v".repeat(66 * 1024)).open().awaitEnd(SOON);
    HeaderList headers = call.headers();
    boolean refused = headers != null && "431".equals(headers.get(":status"));
    assertTrue(refused || call.resetCode().isPresent());
    libraryAnswers = true;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "99999999999S", "5X"})
  void unreadableTimeoutCostsTheCallOnly(String timeout) {
    RawStream call = Scene.named(h2, STREAM, id).timeout(timeout).open().awaitEnd(SOON);
    assertEquals(OptionalInt.of(INTERNAL_ERROR), call.resetCode());
    libraryAnswers = true;
  }

  @Test
  void unknownEncodingIsUnimplemented() {
    RawStream call =
        Scene.named(h2, WHOLE, id)
            .with("grpc-encoding", "snappy")
            .open()
            .message(ask("").build())
            .halfClose()
            .awaitEnd(SOON);
    assertEquals(OptionalInt.of(Status.Code.UNIMPLEMENTED.value()), call.status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/llm.v1.LLMService/Nothing", "/no.Such/Method", "/"})
  void unknownMethodIsUnimplementedWithOurDetails(String path) {
    assertRefused(send(path, new byte[] {1, 2, 3}), Status.Code.UNIMPLEMENTED, "UNKNOWN_METHOD");
  }

  @Test
  void bytesOfOtherProtocolsCloseTheirConnection() {
    byte[] http1 = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] tlsHello = {0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0};
    for (byte[] bytes : List.of(http1, tlsHello)) {
      try (RawTcp tcp = RawTcp.connect(scene.rig().port())) {
        tcp.send(bytes).readUntilClosed(SOON);
      }
    }
    libraryAnswers = true;
  }

  @Test
  void callWithoutTeIsServed() {
    String served = Scene.newId();
    RawStream call =
        Scene.named(h2, STREAM, served)
            .without("te")
            .open()
            .message(ask("").build())
            .halfClose()
            .awaitEnd(SOON);
    assertEquals(OptionalInt.of(0), call.status());
    assertEquals(21, call.messages().size());
  }
}
