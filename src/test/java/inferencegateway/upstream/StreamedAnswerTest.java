package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.FinishReason;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import inferencegateway.http.HttpFault;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of each row of upstream faults that comes as a stream, and what is heard of them. */
class StreamedAnswerTest {

  private final Backend backend = new Backend();
  private final RecordingListener heard = backend.listener;
  private final UpstreamCall call = backend.stream();
  private final FakeTransport.Sent wire = backend.wire();

  @Test
  void tokensComeAsTheyAreSent() {
    wire.events().event(Backend.chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null"));
    assertEquals(List.of(), heard.deltas);
    wire.event(Backend.token("a"));
    assertEquals(List.of(Delta.text("a")), heard.deltas);
    assertEquals(new AnswerHead("chatcmpl-1", "m"), heard.head);
    wire.event(Backend.token("b")).event(Backend.STOP).event(Backend.USAGE);
    assertFalse(heard.isOver());
    wire.event("[DONE]");
    assertEquals(Finish.of("stop"), heard.finish);
    assertEquals(new Usage(5, 2, 7, null, null, true), heard.usage);
    assertEquals("ab", heard.text());
    assertEquals(1, heard.sent);
    assertFalse(wire.end().aborted);
    assertEquals(0, backend.loop.timersLeft());
  }

  @Test
  void aReplayIsNotHeardTwice() {
    wire.sent().sent();
    assertEquals(1, heard.sent);
  }

  @Test
  void everyReadEndsABatch() {
    wire.events().body("data: " + Backend.token("a") + "\n\ndata: " + Backend.token("b") + "\n\n");
    assertEquals(1, heard.batches);
    assertEquals(2, heard.deltas.size());
  }

  // U5 to U9: where it breaks off.

  @Test
  void resetBeforeTheFirstEventIsAReset() {
    wire.events().fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_RESET, heard.reason());
  }

  @Test
  void resetAfterTokensIsATruncation() {
    wire.events().event(Backend.token("a")).fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void cleanEndWithoutFinishIsATruncation() {
    wire.events().event(Backend.token("a")).end();
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void endInsideAnEventIsATruncation() {
    wire.events().event(Backend.token("a")).body("data: " + Backend.STOP + "\n").end();
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void finishWithoutDoneIsWhole() {
    wire.events().event(Backend.token("a")).event(Backend.STOP).end();
    assertEquals(Finish.of("stop"), heard.finish);
    assertNull(heard.usage);
    assertFalse(wire.isReusable());
  }

  @Test
  void doneWithoutFinishIsATruncation() {
    wire.events().event(Backend.token("a")).event("[DONE]").end();
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
    assertFalse(wire.isReusable());
  }

  @Test
  void doneAloneIsEmpty() {
    wire.events().event("[DONE]").end();
    assertEquals(Reason.UPSTREAM_EMPTY, heard.reason());
    assertTrue(wire.isReusable());
  }

  @Test
  void anEmptyBodyIsEmpty() {
    wire.events().end();
    assertEquals(Reason.UPSTREAM_EMPTY, heard.reason());
  }

  @Test
  void finishWithoutAnyTextIsWhole() {
    wire.events().event(Backend.STOP).event("[DONE]");
    assertEquals(Finish.of("stop"), heard.finish);
    assertEquals(List.of(), heard.deltas);
  }

  @Test
  void resetAfterFinishAndUsageIsWhole() {
    wire.events().event(Backend.token("a")).event(Backend.STOP).event(Backend.USAGE);
    wire.fault(HttpFault.Kind.CUT);
    assertEquals(Finish.of("stop"), heard.finish);
  }

  @Test
  void resetAfterFinishAloneIsATruncation() {
    wire.events().event(Backend.token("a")).event(Backend.STOP).fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  // U10, U11: errors inside the stream.

  @Test
  void errorAsFirstEventHasItsMeaning() {
    wire.events()
        .event("{\"error\":{\"message\":\"bad\",\"type\":\"BadRequestError\",\"code\":400}}")
        .event("[DONE]")
        .end();
    assertEquals(Reason.INVALID_REQUEST, heard.reason());
    assertTrue(wire.isReusable());
  }

  @Test
  void errorAfterTokensEndsTheCall() {
    wire.events().event(Backend.token("a"));
    wire.event(
        "{\"error\":{\"message\":\"boom\",\"type\":\"InternalServerError\",\"param\":null,"
            + "\"code\":500}}");
    assertEquals(Reason.UPSTREAM_ERROR, heard.reason());
    assertEquals("InternalServerError", heard.failure.upstream().type());
    assertEquals("500", heard.failure.upstream().code());
    wire.event("[DONE]").end();
    assertTrue(wire.isReusable());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":\"boom\"}",
        "{\"error\":{\"message\":\"boom\",\"code\":\"server_error\"}}",
        "{\"object\":\"error\",\"message\":\"boom\",\"type\":\"InternalServerError\",\"code\":500}",
        "{\"message\":\"boom\"}"
      })
  void everyShapeOfErrorIsAnError(String error) {
    wire.events().body("event: error\ndata: " + error + "\n\n");
    assertEquals(Reason.UPSTREAM_ERROR, heard.reason());
  }

  // U25 to U29: odd chunks.

  @Test
  void chunksWithoutTextAreSkipped() {
    wire.events()
        .event(Backend.chunk("null", "null"))
        .event(Backend.chunk("{\"content\":null}", "null"))
        .event(Backend.chunk("{}", "\"\""))
        .event("{\"choices\":null}")
        .event("{\"choices\":[]}")
        .event(Backend.token("a"))
        .event(Backend.STOP)
        .event("[DONE]");
    assertEquals(List.of(Delta.text("a")), heard.deltas);
    assertEquals(Finish.of("stop"), heard.finish);
  }

  @Test
  void finishMayComeWithTheLastText() {
    wire.events().event(Backend.chunk("{\"content\":\"a\"}", "\"length\"")).event("[DONE]");
    assertEquals("a", heard.text());
    assertEquals(FinishReason.LENGTH, heard.finish.reason());
  }

  @Test
  void anUnknownWordIsAFinish() {
    wire.events().event(Backend.chunk("{\"content\":\"a\"}", "\"repetition\"")).event("[DONE]");
    assertEquals(new Finish(FinishReason.UNKNOWN, "repetition", null, null), heard.finish);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "\"\"", "7", "{}"})
  void emptyWordsAreNoFinish(String word) {
    wire.events().event(Backend.chunk("{\"content\":\"a\"}", word)).event("[DONE]");
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void errorAndAbortAreFailures() {
    wire.events().event(Backend.chunk("{\"content\":\"a\"}", "\"error\"")).event("[DONE]").end();
    assertEquals("a", heard.text());
    assertEquals(Reason.UPSTREAM_ERROR, heard.reason());
    assertTrue(wire.isReusable());

    Backend other = new Backend();
    other.stream();
    other.wire().events().event(Backend.chunk("{}", "\"abort\""));
    assertEquals(Reason.UPSTREAM_ABORTED, other.listener.reason());
  }

  @Test
  void theLastOfContinuousUsageCounts() {
    wire.events()
        .event(
            "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}")
        .event(
            "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}")
        .event("[DONE]");
    assertEquals(new Usage(1, 2, 3, null, null, true), heard.usage);
  }

  @Test
  void reasoningComesByItself() {
    wire.events()
        .event(Backend.chunk("{\"reasoning\":\"hm\"}", "null"))
        .event(Backend.chunk("{\"reasoning_content\":\"m\"}", "null"))
        .event(Backend.token("a"))
        .event(Backend.STOP)
        .event("[DONE]");
    assertEquals(List.of(new Delta("", "hm"), new Delta("", "m"), Delta.text("a")), heard.deltas);
  }

  // U32 to U35: text.

  @Test
  void aSplitSurrogatePairIsJoined() {
    wire.events().event(Backend.token("a\\ud83d")).event(Backend.token("\\ude00b"));
    assertEquals(List.of(Delta.text("a"), Delta.text("\ud83d\ude00b")), heard.deltas);
  }

  @Test
  void aLoneSurrogateIsReplaced() {
    wire.events().event(Backend.token("\\ud83d")).event(Backend.STOP).event("[DONE]");
    assertEquals("\uFFFD", heard.text());
    assertEquals(Finish.of("stop"), heard.finish);
  }

  @Test
  void invalidUtf8IsReplacedAndTheStreamGoesOn() {
    wire.events()
        .body(
            ("data: " + Backend.token("a\u00edb\u00ed\u00a0\u00bdc") + "\n\n").getBytes(ISO_8859_1))
        .event(Backend.token("漢字"));
    assertEquals("a\uFFFDb\uFFFD\uFFFD\uFFFDc漢字", heard.text());
  }

  @Test
  void aHugeEventIsDelivered() {
    String huge = "x".repeat(8 << 20);
    wire.events().event(Backend.token(huge)).event(Backend.STOP).event("[DONE]");
    assertEquals(huge, heard.text());
  }

  @Test
  void anEventAboveTheLimitEndsTheCall() {
    Backend small = new Backend(false, 1_000, 4 << 20);
    small.stream();
    small.wire().events().event(Backend.token("a")).event(Backend.token("x".repeat(2_000)));
    assertEquals(Reason.UPSTREAM_EVENT_TOO_LARGE, small.listener.reason());
    assertTrue(small.wire().aborted);
  }

  // U38, U39: what no parser should take.

  @ParameterizedTest
  @ValueSource(strings = {"{\"choices\":[", "hello", "[]", "{} {}"})
  void brokenJsonEndsTheCall(String odd) {
    wire.events().event(odd);
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
    assertTrue(wire.aborted);
  }

  @Test
  void deepNestingEndsTheCall() {
    wire.events().event("{\"a\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}");
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
    assertTrue(wire.aborted);
  }

  @Test
  void aBadFrameOfHttpIsAProtocolError() {
    wire.events().event(Backend.token("a")).fault(HttpFault.Kind.PROTOCOL);
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
  }

  @Test
  void garbageAfterDoneIsNotHeard() {
    wire.events().event(Backend.STOP).event("[DONE]").event("garbage");
    wire.fault(HttpFault.Kind.PROTOCOL);
    assertEquals(Finish.of("stop"), heard.finish);
  }

  // U44: the many ways of events.

  @Test
  void everythingThatEventsMayHaveIsReadOver() {
    wire.events()
        .body("\uFEFF: comment\n\nid: 7\nretry: 10\nevent: message\ndata:" + Backend.token("a"))
        .body("\r\r\ndata:\n\ndata:   \n\ndata\n\n:\n\ndata: " + Backend.STOP + "\r\n\r\n")
        .body("data: [DONE] \n\n");
    assertEquals("a", heard.text());
    assertEquals(Finish.of("stop"), heard.finish);
  }

  // The connection afterwards.

  @Test
  void aBodyThatDoesNotEndAfterDoneIsCut() {
    wire.events().event(Backend.STOP).event("[DONE]");
    backend.loop.pass(Duration.ofMillis(900));
    assertFalse(wire.aborted);
    backend.loop.pass(Duration.ofMillis(200));
    assertTrue(wire.aborted);
  }

  @Test
  void pausedReadingGoesOnForTheEnd() {
    wire.events();
    call.pause();
    assertTrue(wire.paused);
    wire.event(Backend.STOP).event("[DONE]");
    assertFalse(wire.paused);
  }

  @Test
  void lenientBackendsNeedNoFinishReason() {
    Backend lenient = new Backend(true, 16 << 20, 4 << 20);
    lenient.stream();
    lenient.wire().events().event(Backend.token("a")).event("[DONE]");
    assertEquals(Finish.of("stop"), lenient.listener.finish);
    Backend empty = new Backend(true, 16 << 20, 4 << 20);
    empty.stream();
    empty.wire().events().event("[DONE]");
    assertEquals(Reason.UPSTREAM_EMPTY, empty.listener.reason());
  }

  @Test
  void aWholeBodyIsTakenWhereAStreamWasAskedFor() {
    wire.json(
        200,
        "{\"id\":\"i\",\"model\":\"m\",\"choices\":[{\"message\":{\"content\":\"abc\"},"
            + "\"finish_reason\":\"stop\"}]}");
    assertEquals(List.of(Delta.text("abc")), heard.deltas);
    assertEquals(Finish.of("stop"), heard.finish);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[{\"type\":\"text\",\"text\":\"b\"}]", "5", "{}", "[]", "false", "NaN"})
  void contentThatIsNoTextIsAProtocolError(String content) {
    wire.events()
        .event(Backend.token("a"))
        .event(Backend.chunk("{\"content\":" + content + "}", "null"));
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
    assertEquals("a", heard.text());
    assertTrue(wire.aborted);
  }
}
