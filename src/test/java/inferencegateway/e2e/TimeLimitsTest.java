package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import inferencegateway.Gateway;
import inferencegateway.http.FullBacklog;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.FinishReason;
import inferencegateway.proto.llm.v1.OnTimeLimit;
import inferencegateway.proto.llm.v1.TimeLimits;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each part of a call has its own limit and its own reason; callers may shorten them. */
class TimeLimitsTest {

  private static Scene scene;

  private final String id = Scene.newId();
  private RawH2 h2;

  @BeforeAll
  static void start() {
    scene =
        Scene.start(
            Map.of(
                "first-token-timeout", "400ms",
                "gap-timeout", "400ms",
                "max-call-time", "1s",
                "slow-caller-stall", "500ms"));
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
    scene.assertAllIsWell();
  }

  private static Duration millis(int millis) {
    return Duration.newBuilder().setNanos(millis * 1_000_000).build();
  }

  private static CompleteRequest.Builder partial(CompleteRequest.Builder ask) {
    ask.getTimeLimitsBuilder().setOnTimeLimit(OnTimeLimit.ON_TIME_LIMIT_PARTIAL_ANSWER);
    return ask;
  }

  private static CompleteRequest.Builder within(CompleteRequest.Builder ask, TimeLimits limits) {
    return ask.setTimeLimits(limits);
  }

  private RawStream call(String path, CompleteRequest.Builder ask) {
    return Scene.open(h2, path, id, ask).awaitEnd(SOON);
  }

  private void assertFailed(RawStream call, Status.Code code, String reason, String phase) {
    assertEquals(OptionalInt.of(code.value()), call.status());
    ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
    assertEquals(reason, details.reason());
    assertEquals("-1", details.pushback());
    assertEquals(id, details.requestId());
    assertEquals(phase, details.errorInfo().orElseThrow().getMetadataOrThrow("phase"));
    CallLog.Line line = scene.awaitLine(id);
    assertEquals(reason, line.reason());
    assertEquals(phase, line.phase());
  }

  private long milliseconds() {
    return (long) Double.parseDouble(scene.awaitLine(id).get("total_ms"));
  }

  @Test
  void firstTokenTimeoutEndsTheCallTrailersOnly() {
    RawStream call = call(STREAM, ask("stall-after=0"));
    assertTrue(call.isTrailersOnly());
    assertFailed(call, Status.Code.UNAVAILABLE, "FIRST_TOKEN_TIMEOUT", "prefill");
    assertEquals("stalled", scene.awaitLine(id).outcome());
    scene.awaitAborted(id);
  }

  @Test
  void firstTokenTimeoutCountsWhileThereAreNoHeaders() {
    RawStream call = call(STREAM, ask("stall-before-headers"));
    assertFailed(call, Status.Code.UNAVAILABLE, "FIRST_TOKEN_TIMEOUT", "prefill");
    scene.awaitAborted(id);
  }

  @Test
  void gapTimeoutEndsTheStreamWithTheTokensThatCame() {
    RawStream call = call(STREAM, ask("stall-after=3"));
    assertEquals(3, call.messages().size());
    assertFailed(call, Status.Code.UNAVAILABLE, "INTER_TOKEN_TIMEOUT", "decode");
    ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
    assertEquals("3", details.errorInfo().orElseThrow().getMetadataOrThrow("tokens_sent"));
    scene.awaitAborted(id);
  }

  @Test
  void maxCallTimeEndsAStreamThatFlows() {
    RawStream call = call(STREAM, ask("", 5_000));
    assertFailed(call, Status.Code.DEADLINE_EXCEEDED, "MAX_CALL_TIME", "decode");
    assertEquals("time_limit", scene.awaitLine(id).outcome());
    scene.awaitAborted(id);
  }

  @Test
  void maxCallTimeEndsAUnaryCall() {
    RawStream call = call(WHOLE, ask("stall-before-headers"));
    assertTrue(call.isTrailersOnly());
    assertFailed(call, Status.Code.DEADLINE_EXCEEDED, "MAX_CALL_TIME", "prefill");
    scene.awaitAborted(id);
  }

  @Test
  void maxCallTimeCutsALongerDeadline() {
    RawStream call =
        Scene.named(h2, STREAM, id)
            .timeout("1H")
            .open()
            .message(ask("", 5_000).build())
            .halfClose()
            .awaitEnd(SOON);
    assertFailed(call, Status.Code.DEADLINE_EXCEEDED, "MAX_CALL_TIME", "decode");
  }

  @Test
  void maxCallTimeEndsARequestThatIsNeverCompleted() {
    RawStream call = Scene.named(h2, STREAM, id).open().message(ask("").build()).awaitEnd(SOON);
    assertFailed(call, Status.Code.DEADLINE_EXCEEDED, "MAX_CALL_TIME", "admission");
    scene.assertNothingUpstream(id);
  }

  /** No status can pass the data that the caller does not take. */
  @Test
  void statusThatTheCallerDoesNotTakeIsFollowedByAReset() {
    try (RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      RawStream call = Scene.open(slow, STREAM, id, ask("stall-after=3"));
      call.awaitEnd(SOON);
      assertEquals(OptionalInt.of(Scene.CANCEL), call.resetCode());
      assertEquals("INTER_TOKEN_TIMEOUT", scene.awaitLine(id).reason());
    }
  }

  @Test
  void connectTimeoutHasItsOwnReason() throws IOException {
    try (FullBacklog backend = FullBacklog.openOrSkip()) {
      Gateway gateway =
          Rig.gateway(
              "http://127.0.0.1:" + backend.port() + "/v1", Map.of("connect-timeout", "300ms"));
      try (RawH2 other = RawH2.connect(gateway.port())) {
        RawStream call = Scene.open(other, STREAM, id, ask("")).awaitEnd(SOON);
        assertTrue(call.isTrailersOnly());
        assertEquals(OptionalInt.of(Status.Code.UNAVAILABLE.value()), call.status());
        ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(call.trailers()));
        assertEquals("UPSTREAM_CONNECT", details.reason());
        assertTrue(details.retryInfo().isPresent());
        assertEquals("1000", details.pushback());
        assertEquals("safe", call.trailers().get("x-gateway-retry"));
        assertEquals("connect", scene.awaitLine(id).phase());
        assertTrue(milliseconds() < 1_000);
      } finally {
        gateway.close();
      }
    }
  }

  @Test
  void callersFirstTokenLimitIsShorter() {
    TimeLimits limits = TimeLimits.newBuilder().setFirstToken(millis(80)).build();
    RawStream call = call(STREAM, within(ask("stall-after=0"), limits));
    assertFailed(call, Status.Code.UNAVAILABLE, "FIRST_TOKEN_TIMEOUT", "prefill");
    assertTrue(milliseconds() < 380);
  }

  @Test
  void callersGapLimitIsShorter() {
    TimeLimits limits = TimeLimits.newBuilder().setGap(millis(80)).build();
    RawStream call = call(STREAM, within(ask("stall-after=1"), limits));
    assertFailed(call, Status.Code.UNAVAILABLE, "INTER_TOKEN_TIMEOUT", "decode");
    assertTrue(milliseconds() < 380);
  }

  @Test
  void callersTotalLimitIsShorter() {
    TimeLimits limits = TimeLimits.newBuilder().setTotal(millis(150)).build();
    RawStream call = call(STREAM, within(ask("", 5_000), limits));
    assertFailed(call, Status.Code.DEADLINE_EXCEEDED, "MAX_CALL_TIME", "decode");
    assertTrue(milliseconds() < 800);
  }

  @Test
  void callersLongerLimitsDoNotLengthenOurs() {
    Duration long0 = Duration.newBuilder().setSeconds(30).build();
    TimeLimits limits =
        TimeLimits.newBuilder().setFirstToken(long0).setGap(long0).setTotal(long0).build();
    RawStream call = call(STREAM, within(ask("stall-after=0"), limits));
    assertFailed(call, Status.Code.UNAVAILABLE, "FIRST_TOKEN_TIMEOUT", "prefill");
  }

  private void assertPartialStream(RawStream call, int atLeast) throws Exception {
    assertEquals(OptionalInt.of(0), call.status());
    List<byte[]> messages = call.messages();
    TokenChunk last = TokenChunk.parseFrom(messages.get(messages.size() - 1));
    assertTrue(last.getDone());
    assertEquals(FinishReason.FINISH_REASON_TIME_LIMIT, last.getFinish().getReason());
    assertFalse(last.getUsage().getExact());
    assertTrue(messages.size() - 1 >= atLeast);
    assertTrue(last.getUsage().getOutputTokens() >= atLeast);
    CallLog.Line line = scene.awaitLine(id);
    assertEquals("ok", line.outcome());
    assertEquals("time_limit", line.get("finish"));
    assertEquals("counted", line.get("usage"));
    scene.awaitAborted(id);
  }

  private CompleteResponse assertPartialWhole(RawStream call)
      throws InvalidProtocolBufferException {
    assertEquals(OptionalInt.of(0), call.status());
    CompleteResponse answer = CompleteResponse.parseFrom(call.messages().get(0));
    assertEquals(FinishReason.FINISH_REASON_TIME_LIMIT, answer.getFinish().getReason());
    assertFalse(answer.getUsage().getExact());
    assertEquals("ok", scene.awaitLine(id).outcome());
    scene.awaitAborted(id);
    return answer;
  }

  @Test
  void partialStreamEndsOkAtTheGap() throws Exception {
    assertPartialStream(call(STREAM, partial(ask("stall-after=3"))), 3);
  }

  @Test
  void partialStreamEndsOkAtTheTotal() throws Exception {
    CompleteRequest.Builder ask = partial(ask("", 5_000));
    ask.getTimeLimitsBuilder().setTotal(millis(200));
    assertPartialStream(call(STREAM, ask), 1);
  }

  @Test
  void partialStreamWithoutATokenEndsOkAndEmpty() throws Exception {
    assertPartialStream(call(STREAM, partial(ask("stall-after=0"))), 0);
  }

  @Test
  void partialUnaryAnswerHasTheTextSoFar() throws Exception {
    CompleteResponse answer = assertPartialWhole(call(WHOLE, partial(ask("stall-after=3"))));
    assertFalse(answer.getText().isEmpty());
    assertEquals(3, answer.getUsage().getOutputTokens());
  }

  @Test
  void partialAnswersArriveBeforeTheCallersDeadline() throws Exception {
    RawStream stream =
        Scene.named(h2, STREAM, id)
            .timeout("500m")
            .open()
            .message(partial(ask("", 5_000)).build())
            .halfClose()
            .awaitEnd(SOON);
    assertPartialStream(stream, 1);
    assertTrue(milliseconds() < 500);
  }

  @Test
  void partialUnaryAnswerArrivesBeforeTheCallersDeadline() throws Exception {
    RawStream whole =
        Scene.named(h2, WHOLE, id)
            .timeout("500m")
            .open()
            .message(partial(ask("", 5_000)).build())
            .halfClose()
            .awaitEnd(SOON);
    assertFalse(assertPartialWhole(whole).getText().isEmpty());
    assertTrue(milliseconds() < 500);
  }

  @Test
  void partialAnswerThatIsNeverTakenIsResetInTheEnd() {
    try (RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      CompleteRequest.Builder ask = partial(ask("stall-after=3"));
      ask.getTimeLimitsBuilder().setTotal(millis(150));
      RawStream call = Scene.open(slow, STREAM, id, ask).awaitEnd(SOON);
      assertEquals(OptionalInt.of(Scene.CANCEL), call.resetCode());
      assertEquals("ok", scene.awaitLine(id).outcome());
    }
  }

  /** It was complete long before its limit; only the caller takes it late. */
  @Test
  void completeAnswerMayBeTakenAfterTheLimit() {
    try (RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      CompleteRequest.Builder ask = partial(ask("", 3));
      ask.getTimeLimitsBuilder().setTotal(millis(150));
      long asked = System.nanoTime();
      RawStream call = Scene.open(slow, STREAM, id, ask);
      scene.awaitLine(id);
      Eventually.within(SOON).assertThat(() -> System.nanoTime() - asked > 300_000_000);
      call.grant(100_000).awaitEnd(SOON);
      assertEquals(OptionalInt.of(0), call.status());
      assertEquals(4, call.messages().size());
    }
  }

  /** The limit ended the answer, not the caller's right to take it. */
  @Test
  void partialAnswerMayBeTakenAfterTheLimit() throws Exception {
    try (RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      CompleteRequest.Builder ask = partial(ask("stall-after=3"));
      ask.getTimeLimitsBuilder().setTotal(millis(150));
      RawStream call = Scene.open(slow, STREAM, id, ask);
      scene.awaitLine(id);
      call.grant(100_000).awaitEnd(SOON);
      assertPartialStream(call, 1);
    }
  }
}
