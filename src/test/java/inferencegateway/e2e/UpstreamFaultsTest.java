package inferencegateway.e2e;

import static inferencegateway.e2e.UpstreamRow.Retry.FIVE_SECONDS;
import static inferencegateway.e2e.UpstreamRow.Retry.JITTERED;
import static inferencegateway.e2e.UpstreamRow.Retry.ONE_SECOND;
import static inferencegateway.e2e.UpstreamRow.Retry.TWO_SECONDS;
import static io.grpc.Status.Code.INTERNAL;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.NOT_FOUND;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNAVAILABLE;
import static io.grpc.Status.Code.UNIMPLEMENTED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.RecordedRequest;
import inferencegateway.testing.Eventually;
import io.grpc.Channel;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a caller is told for each way a backend fails after it has taken the request, and what
 * becomes of the connection. One caller's connection, so that all requests leave from one loop.
 */
class UpstreamFaultsTest {

  private static final int TOKENS = 20;
  private static final Map<String, String> SETTINGS =
      Map.of(
          "model", "simulated-model",
          "health.interval", "1h",
          "upstream.idle", "30s",
          "first-token-timeout", "300ms",
          "gap-timeout", "300ms");

  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static Rig rig;
  private static Channel channel;

  @BeforeAll
  static void start() {
    rig =
        Rig.start(
            sim ->
                sim.withPace(Duration.ofMillis(1), Duration.ZERO)
                    .withAnswerTokens(TOKENS)
                    .withKeepAlive(Duration.ZERO),
            SETTINGS);
    channel = rig.callers().channel();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  private static List<UpstreamRow> table() {
    return List.of(
        row("U4", "close-before-response", UNAVAILABLE, "UPSTREAM_RESET")
            .onFresh()
            .closing()
            .retry(ONE_SECOND),
        row("U4", "reset-before-response", UNAVAILABLE, "UPSTREAM_RESET")
            .onFresh()
            .closing()
            .retry(ONE_SECOND),
        row("U5", "drop-after-headers", UNAVAILABLE, "UPSTREAM_RESET").closing().retry(ONE_SECOND),
        row("U5", "late-headers;drop-after=0", UNAVAILABLE, "UPSTREAM_RESET")
            .streamed()
            .closing()
            .retry(ONE_SECOND),
        row("U6", "drop-after=3", UNAVAILABLE, "UPSTREAM_TRUNCATED").afterTokens(3).closing(),
        row("U6", "drop-after=3", UNAVAILABLE, "UPSTREAM_RESET")
            .whole()
            .onFresh()
            .closing()
            .retry(ONE_SECOND),
        row("U7", "eof-after=3", UNAVAILABLE, "UPSTREAM_TRUNCATED").afterTokens(3).closing(),
        row("U7", "eof-after=3;http10", UNAVAILABLE, "UPSTREAM_TRUNCATED").afterTokens(3).closing(),
        row("U7", "eof-after=3", UNAVAILABLE, "UPSTREAM_TRUNCATED").whole().closing(),
        row("U7", "eof-after=0", UNAVAILABLE, "UPSTREAM_EMPTY").streamed(),
        row("U9", "done-only", UNAVAILABLE, "UPSTREAM_EMPTY"),
        row("U9", "empty-body", UNAVAILABLE, "UPSTREAM_EMPTY"),
        row("U10", "error-event-after=3", UNAVAILABLE, "UPSTREAM_ERROR")
            .afterTokens(3)
            .saying("InternalServerError", "", "500"),
        row("U10", "error-event-after=3;error-code=400", INVALID_ARGUMENT, "INVALID_REQUEST")
            .afterTokens(3)
            .saying("InternalServerError", "", "400"),
        row("U10", "error-event-after=3;error-code=429", RESOURCE_EXHAUSTED, "UPSTREAM_RATE_LIMIT")
            .afterTokens(3),
        row("U10", "error-event-after=3;error-code=503", UNAVAILABLE, "UPSTREAM_STARTING")
            .afterTokens(3),
        row("U10", "error-event-after=3", UNAVAILABLE, "UPSTREAM_ERROR").whole(),
        row("U11", "error-event-after=0", UNAVAILABLE, "UPSTREAM_ERROR").streamed(),
        row(
                "U11",
                "error-event-after=0;error-code=404;error-type=NotFoundError",
                NOT_FOUND,
                "MODEL_NOT_FOUND")
            .streamed()
            .saying("NotFoundError", "", "404"),
        row("U11", "error-event-after=0;error-code=429", RESOURCE_EXHAUSTED, "UPSTREAM_RATE_LIMIT")
            .streamed()
            .retry(JITTERED),
        row("U11", "error-event-after=0;error-code=503", UNAVAILABLE, "UPSTREAM_STARTING")
            .streamed()
            .retry(FIVE_SECONDS),
        row("U12", "status=500-empty", UNAVAILABLE, "UPSTREAM_ERROR"),
        row("U12", "status=500", UNAVAILABLE, "UPSTREAM_ERROR")
            .saying("InternalServerError", "", "500"),
        row("U13", "context-length", INVALID_ARGUMENT, "CONTEXT_LENGTH")
            .saying("BadRequestError", "input_tokens", "400"),
        row("U13", "status=400", INVALID_ARGUMENT, "INVALID_REQUEST"),
        row("U13", "status=422", INVALID_ARGUMENT, "INVALID_REQUEST"),
        row("U13", "status=413", INVALID_ARGUMENT, "INVALID_REQUEST"),
        row("U14", "status=404", NOT_FOUND, "MODEL_NOT_FOUND")
            .saying("NotFoundError", "model", "404"),
        row("U14", "status=404-route", INTERNAL, "UPSTREAM_NOT_FOUND"),
        row("U15", "status=401", INTERNAL, "UPSTREAM_AUTH"),
        row("U15", "status=403", INTERNAL, "UPSTREAM_AUTH"),
        row("U16", "status=429;retry-after=2", RESOURCE_EXHAUSTED, "UPSTREAM_RATE_LIMIT")
            .retry(TWO_SECONDS),
        row("U16", "status=429", RESOURCE_EXHAUSTED, "UPSTREAM_RATE_LIMIT").retry(JITTERED),
        row("U17", "status=503-queue", RESOURCE_EXHAUSTED, "UPSTREAM_QUEUE_FULL")
            .saying("QueueOverflowError", "", "503")
            .retry(JITTERED),
        row("U18", "status=503-starting", UNAVAILABLE, "UPSTREAM_STARTING").retry(FIVE_SECONDS),
        row("U18", "status=503;retry-after=2", UNAVAILABLE, "UPSTREAM_STARTING").retry(TWO_SECONDS),
        row("408", "status=408", UNAVAILABLE, "UPSTREAM_GATEWAY").retry(ONE_SECOND),
        row("425", "status=425", UNAVAILABLE, "UPSTREAM_GATEWAY").retry(ONE_SECOND),
        row("499", "status=499", UNAVAILABLE, "UPSTREAM_GATEWAY").retry(ONE_SECOND),
        row("501", "status=501", UNIMPLEMENTED, "UNIMPLEMENTED_UPSTREAM"),
        row("502", "status=502", UNAVAILABLE, "UPSTREAM_GATEWAY").retry(ONE_SECOND),
        row("504", "status=504;retry-after=2", UNAVAILABLE, "UPSTREAM_GATEWAY").retry(TWO_SECONDS),
        row("U19", "status=302", INTERNAL, "UPSTREAM_REDIRECT").closing(),
        row("U19", "status=307", INTERNAL, "UPSTREAM_REDIRECT").closing(),
        row("U20", "html", INTERNAL, "UPSTREAM_PROTOCOL").closing(),
        row("U21", "stall-after=0", UNAVAILABLE, "FIRST_TOKEN_TIMEOUT").streamed().closing(),
        row("U21", "stall-before-headers", UNAVAILABLE, "FIRST_TOKEN_TIMEOUT").streamed().closing(),
        row("U22", "stall-after=3", UNAVAILABLE, "INTER_TOKEN_TIMEOUT").afterTokens(3).closing(),
        row("U29", "finish=error", UNAVAILABLE, "UPSTREAM_ERROR").afterTokens(TOKENS),
        row("U29", "finish=abort", UNAVAILABLE, "UPSTREAM_ABORTED").afterTokens(TOKENS),
        row("U29", "finish=error", UNAVAILABLE, "UPSTREAM_ERROR").whole().in("decode"),
        row("U29", "finish=abort", UNAVAILABLE, "UPSTREAM_ABORTED").whole().in("decode"),
        row("U38", "deep-nesting=2000", INTERNAL, "UPSTREAM_PROTOCOL").closing(),
        row("U38", "huge-number=5000", INTERNAL, "UPSTREAM_PROTOCOL").closing(),
        row("U39", "short-content-length", UNAVAILABLE, "UPSTREAM_TRUNCATED")
            .afterTokens(TOKENS / 2)
            .closing(),
        row("U39", "short-content-length", UNAVAILABLE, "UPSTREAM_TRUNCATED").whole().closing(),
        row("U39", "bad-chunk=3", INTERNAL, "UPSTREAM_PROTOCOL").afterTokens(3).closing(),
        row("U39", "bad-chunk=3", INTERNAL, "UPSTREAM_PROTOCOL").whole().closing());
  }

  private static UpstreamRow row(String name, String fault, Code code, String reason) {
    return UpstreamRow.of(name, fault, code, reason);
  }

  static Stream<Arguments> rows() {
    return table().stream().flatMap(r -> r.methods().stream().map(m -> Arguments.of(r, m)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("rows")
  void callerIsToldWhatHappened(UpstreamRow row, AskedMethod method) {
    prepare(row.start());
    String mark = mark();
    Told told = method.ask(channel, "[[sim:" + row.fault() + "]]" + mark);

    assertEquals(row.code(), told.code(), told::summary);
    assertEquals(row.reason(), told.reason(), told::summary);
    told.assertFullyExplained();
    assertEquals(row.phase(), told.said("phase"), told::summary);
    assertEquals(Integer.toString(row.tokens()), told.said("tokens_sent"), told::summary);
    assertEquals(row.tokens(), told.pieces().size(), told::summary);
    assertEquals(row.tokens() == 0, told.trailersOnly(), "headers only after the first token");
    assertRetry(row.retry(), told);
    row.upstream().forEach((key, word) -> assertEquals(word, told.said(key), told::summary));

    RecordedRequest only = only(mark);
    assertEquals(row.reused(), isUsedAgain(only), "connection used again");
    rig.awaitQuiet();
  }

  private static void assertRetry(UpstreamRow.Retry retry, Told told) {
    long pause = told.retryMillis().orElse(-1L);
    switch (retry) {
      case NEVER -> assertEquals(-1, pause, told::summary);
      case ONE_SECOND -> assertEquals(1_000, pause, told::summary);
      case TWO_SECONDS -> assertEquals(2_000, pause, told::summary);
      case FIVE_SECONDS -> assertEquals(5_000, pause, told::summary);
      case JITTERED -> assertTrue(pause >= 750 && pause <= 1_250, told::summary);
    }
  }

  /** Good answers all the same: what the connection's next use shows. */
  static Stream<Arguments> goodRows() {
    Map<String, Boolean> reusedAfter =
        Map.ofEntries(
            Map.entry("none", true),
            Map.entry("role-only;null-deltas", true),
            Map.entry("no-role", true),
            Map.entry("usage-none", true),
            Map.entry("continuous-usage", true),
            Map.entry("finish=unheard-of", true),
            Map.entry("odd-json", true),
            Map.entry("finish-with-last", true),
            Map.entry("finish-with-last;eol=crlf", true),
            Map.entry("continue-100;early-hints-103", true),
            Map.entry("comments;event=error;bom;eol=cr", true),
            Map.entry("connection-close", false),
            Map.entry("http10", false),
            Map.entry("trailing-garbage", false));
    return reusedAfter.entrySet().stream()
        .flatMap(
            e ->
                Stream.of(AskedMethod.values())
                    .map(m -> Arguments.of(e.getKey(), m, e.getValue())));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("goodRows")
  void oddButWholeAnswerIsOk(String fault, AskedMethod method, boolean reused) {
    prepare(UpstreamRow.Start.USED);
    String mark = mark();
    Told told = method.ask(channel, "[[sim:" + fault + "]]" + mark).assertAnswered();
    if (method.isStream()) {
      assertEquals(TOKENS, told.outputTokens(), "usage, or counted where there is none");
      assertEquals(TOKENS, told.pieces().size());
      assertTrue(told.pieces().stream().noneMatch(String::isEmpty), "no empty message");
    }
    assertEquals(fault.startsWith("finish=") ? "unheard-of" : "stop", told.finish());
    assertEquals(reused, isUsedAgain(only(mark)), "connection used again");
  }

  /** U3. */
  @ParameterizedTest
  @EnumSource
  void staleConnectionIsReplacedOnceUnseen(AskedMethod method) {
    prepare(UpstreamRow.Start.USED);
    String mark = mark();
    method.ask(channel, "[[sim:close-if-reused]]" + mark).assertAnswered();
    List<RecordedRequest> sent = withMark(mark);
    assertEquals(2, sent.size());
    assertFalse(sent.get(0).connection() == sent.get(1).connection());
    assertTrue(isUsedAgain(sent.get(1)));
  }

  /** U3, then as U4. */
  @ParameterizedTest
  @EnumSource
  void replayIsNeverReplayed(AskedMethod method) {
    prepare(UpstreamRow.Start.USED);
    String mark = mark();
    Told told = method.ask(channel, "[[sim:close-before-response]]" + mark);
    assertEquals("UPSTREAM_RESET", told.assertFullyExplained().reason());
    assertEquals(2, withMark(mark).size());
  }

  /** U21, U22: the backend sees that nobody waits any more. */
  @ParameterizedTest
  @EnumSource(names = {"GENERATE_STREAM", "COMPLETE_STREAM"})
  void timeLimitStopsTheBackend(AskedMethod method) {
    for (String stall : List.of("stall-before-headers", "stall-after=0", "stall-after=3")) {
      String mark = mark();
      Told told = method.ask(channel, "[[sim:" + stall + "]]" + mark);
      assertEquals(UNAVAILABLE, told.code());
      Eventually.within(Duration.ofSeconds(2))
          .passes(
              () -> {
                assertTrue(only(mark).aborted());
                assertTrue(only(mark).disconnect().isPresent());
              });
    }
  }

  /** First-token and gap limits are for streams: a whole answer takes what it takes. */
  @Test
  void timeLimitsOfStreamsLeaveWholeAnswersAlone() {
    try (Rig slow =
        Rig.start(
            sim -> sim.withPace(Duration.ofMillis(500), Duration.ZERO),
            Map.of(
                "model", "simulated-model",
                "first-token-timeout", "100ms",
                "gap-timeout", "100ms"))) {
      AskedMethod.COMPLETE.ask(slow.callers().channel(), "slow").assertAnswered();
    }
  }

  /** U13: the field at fault, in our contract's words. */
  @ParameterizedTest
  @EnumSource
  void promptThatDoesNotFitNamesItsField(AskedMethod method) {
    Told told = method.ask(channel, "[[sim:context-length]]");
    var violation = told.details().badRequest().orElseThrow().getFieldViolations(0);
    assertEquals("messages", violation.getField());
    assertTrue(violation.getDescription().contains("maximum context length"));
  }

  /** U40. */
  @Test
  void bytesNobodyAskedForEndAnIdleConnection() {
    prepare(UpstreamRow.Start.USED);
    long before = rig.simulator().counters().connections();
    String mark = mark();
    AskedMethod.COMPLETE.ask(channel, "[[sim:unsolicited=20ms]]" + mark).assertAnswered();
    Eventually.within(Duration.ofSeconds(5))
        .assertThat(
            "the connection is dropped",
            () -> rig.simulator().counters().connections() == before - 1);
    assertFalse(isUsedAgain(only(mark)));
  }

  /** U28, as the full contract says it. */
  @Test
  void unknownFinishReasonIsKeptRaw() {
    var answer =
        inferencegateway.proto.llm.v1.LLMServiceGrpc.newBlockingStub(channel)
            .complete(AskedMethod.complete("[[sim:finish=unheard-of]]"));
    assertEquals(
        inferencegateway.proto.llm.v1.FinishReason.FINISH_REASON_UNSPECIFIED,
        answer.getFinish().getReason());
    assertEquals("unheard-of", answer.getFinish().getRaw());
  }

  // ---

  private static void prepare(UpstreamRow.Start start) {
    String shape = start == UpstreamRow.Start.FRESH ? "[[sim:connection-close]]" : "plain";
    AskedMethod.COMPLETE.ask(channel, shape).assertAnswered();
  }

  private static String mark() {
    return "mark-" + NUMBER.incrementAndGet() + "-";
  }

  private static List<RecordedRequest> withMark(String mark) {
    return rig.simulator().chats().stream().filter(r -> r.body().contains(mark)).toList();
  }

  private static RecordedRequest only(String mark) {
    List<RecordedRequest> sent = withMark(mark);
    assertEquals(1, sent.size(), "sent once");
    return sent.get(0);
  }

  /** Whether the next call leaves on the same connection. */
  private static boolean isUsedAgain(RecordedRequest request) {
    rig.awaitQuiet();
    Eventually.within(Duration.ofSeconds(5))
        .assertThat(
            "all was sent",
            () ->
                rig.simulator().chats().stream()
                    .anyMatch(r -> r.arrival() == request.arrival() && r.end().isPresent()));
    String mark = mark();
    AskedMethod.COMPLETE.ask(channel, mark).assertAnswered();
    return only(mark).connection() == request.connection();
  }
}
