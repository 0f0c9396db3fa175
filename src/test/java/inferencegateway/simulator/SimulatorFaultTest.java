package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatorFaultTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Simulator simulator =
      new Simulator(
          SimulatorConfig.defaults()
              .withPace(Duration.ZERO, Duration.ZERO)
              .withAnswerTokens(8)
              .withModels(List.of("m")));

  private boolean reset;

  @BeforeAll
  static void start() {
    simulator.start();
  }

  @AfterAll
  static void close() {
    simulator.close();
  }

  @AfterEach
  void everyAnswerHasEnded() throws InterruptedException {
    simulator.setFault(null);
    assertTrue(simulator.awaitIdle(SOON));
    assertEquals(0, simulator.counters().running());
  }

  /** Over a connection that closes afterwards; the fault goes by the header. */
  private String ask(boolean stream, String fault) {
    try (RawClient client = new RawClient(simulator)) {
      String usage = stream ? ",\"stream_options\":{\"include_usage\":true}" : "";
      String body = RawClient.body(stream, "Hello", ",\"seed\":1" + usage);
      String raw = client.post(body, "x-sim-fault: " + fault, "connection: close").readToEnd();
      reset = client.sawReset();
      return raw;
    }
  }

  private Http stream(String fault) {
    return Http.of(ask(true, fault));
  }

  private Http unary(String fault) {
    return Http.of(ask(false, fault));
  }

  private static long tokens(String raw) {
    return Pattern.compile("\"content\":\"[^\"]").matcher(raw).results().count();
  }

  private static String plainText() {
    return Http.of(RawClient.stream(simulator, "Hello", ",\"seed\":1")).text();
  }

  // The three ways.

  @Test
  void faultGoesByFlagByHeaderAndByPromptAndTheLaterWins() {
    simulator.setFault("status=500");
    assertEquals(500, Http.of(RawClient.unary(simulator, "Hello", "")).status());
    assertEquals(429, unary("status=429").status());
    assertEquals(
        408, Http.of(RawClient.unary(simulator, "Hi [[sim:status=408]] there", "")).status());
    assertEquals(200, Http.of(RawClient.unary(simulator, "Hi [[sim:none]]", "")).status());
  }

  @Test
  void markerMayHoldEscapes() {
    Http answer =
        Http.of(
            RawClient.unary(
                simulator, "[[sim:status=400;error-message=say \\\"a\\u00e9\\\"]]", ""));
    assertEquals("say \"a\u00e9\"", answer.json().at("/error/message").asText());
  }

  @Test
  void unknownFaultIsRefusedWithTheList() {
    Http answer = unary("explode");
    assertEquals(400, answer.status());
    assertTrue(answer.json().at("/error/message").asText().contains("drop-after"), answer.body());
    assertThrows(IllegalArgumentException.class, () -> simulator.setFault("explode"));
  }

  @Test
  void faultMayBeForTheFirstRequestsOnly() {
    simulator.setFault("status=500;times=2");
    List<Integer> seen =
        List.of(0, 0, 0).stream()
            .map(i -> Http.of(RawClient.unary(simulator, "x", "")).status())
            .toList();
    assertEquals(List.of(500, 500, 200), seen);
  }

  // Errors in place of an answer.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | 400 | BadRequestError",
        "401 | 401 | {'error':'Unauthorized'}",
        "404 | 404 | NotFoundError",
        "404-route | 404 | {'detail':'Not Found'}",
        "408 | 408 | 'code':408",
        "413 | 413 | <html>",
        "422 | 422 | UnprocessableEntityError",
        "425 | 425 | 'code':425",
        "429 | 429 | RateLimitError",
        "499 | 499 | 'code':499",
        "500 | 500 | InternalServerError",
        "501 | 501 | NotImplementedError",
        "502 | 502 | 502 Bad Gateway",
        "503-starting | 503 | still loading",
        "503-queue | 503 | QueueOverflowError",
        "504 | 504 | 504 Gateway",
      })
  void statusComesWithItsBody(String code, int status, String piece) {
    Http answer = stream("status=" + code);
    assertEquals(status, answer.status());
    assertTrue(answer.body().contains(piece.replace('\'', '"')), answer.body());
  }

  @Test
  void deadEngineIsABareEmpty500() {
    Http answer = unary("status=500-empty");
    assertEquals(500, answer.status());
    assertEquals("", answer.body());
  }

  @Test
  void retryAfterAndLocationAreHeaders() {
    assertTrue(unary("status=429;retry-after=7").head().contains("\r\nretry-after: 7"));
    Http moved = unary("status=302;location=http://127.0.0.1:1/x");
    assertEquals(302, moved.status());
    assertTrue(moved.head().contains("\r\nlocation: http://127.0.0.1:1/x"));
  }

  @Test
  void errorWordsCanBeChosen() {
    JsonNode error =
        unary("status=400;error-message=key sk-123;error-type=Odd").json().get("error");
    assertEquals("key sk-123", error.get("message").asText());
    assertEquals("Odd", error.get("type").asText());
  }

  @Test
  void contextLengthIsRefusedInVllmsWords() {
    assertTrue(unary("context-length").body().contains("maximum context length is 131072 tokens"));
  }

  @Test
  void proxyPageIsHtmlWith200() {
    Http answer = stream("html");
    assertEquals(200, answer.status());
    assertTrue(answer.head().contains("content-type: text/html"));
  }

  @Test
  void emptyBodyAndDoneOnlyHaveNoChoices() {
    assertEquals("", stream("empty-body").body());
    assertEquals("", unary("empty-body").body());
    assertEquals("data: [DONE]\n\n", stream("done-only").body());
    assertTrue(unary("done-only").json().get("choices").isEmpty());
  }

  // Broken connections.

  @Test
  void closesOrResetsWithoutAByte() {
    assertEquals("", ask(true, "close-before-response"));
    assertFalse(reset);
    assertEquals("", ask(true, "reset-before-response"));
    assertTrue(reset);
  }

  @Test
  void closesOnlyAReusedConnection() {
    try (RawClient client = new RawClient(simulator)) {
      String body = RawClient.body(false, "x", "");
      client.post(body, "x-sim-fault: close-if-reused").readUntil("\"prompt_logprobs\":null}");
      assertEquals("", client.post(body, "x-sim-fault: close-if-reused").readToEnd());
    }
  }

  @Test
  void dropAfterHeadersIsA200AndAReset() {
    String raw = ask(true, "drop-after-headers");
    assertTrue(raw.startsWith("HTTP/1.1 200 OK") && raw.endsWith("\r\n\r\n"), raw);
    assertTrue(reset);
    assertTrue(ask(false, "drop-after-headers").startsWith("HTTP/1.1 200 OK"));
    assertTrue(reset);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 8, 99})
  void dropAfterIsAResetAfterThatManyTokens(int count) {
    String raw = ask(true, "drop-after=" + count);
    assertTrue(reset);
    assertEquals(Math.min(count, 8), tokens(raw));
    assertFalse(raw.contains("\"stop\"") || raw.contains("[DONE]"));
  }

  @Test
  void unaryDropSendsNothing() {
    assertEquals("", ask(false, "drop-after=2"));
    assertTrue(reset);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 8})
  void eofAfterIsACleanEndWithoutFinish(int count) {
    String raw = ask(true, "eof-after=" + count);
    assertFalse(reset);
    assertEquals(count, tokens(raw));
    assertTrue(raw.endsWith("\r\n0\r\n\r\n"), raw);
    assertFalse(raw.contains("\"stop\"") || raw.contains("[DONE]"));
  }

  @Test
  void shortContentLengthPromisesMore() {
    Http whole = unary("short-content-length");
    int promised =
        Integer.parseInt(whole.head().replaceAll("(?s).*content-length: (\\d+).*", "$1"));
    assertTrue(whole.body().length() < promised);
    Http streamed = stream("short-content-length");
    assertEquals(4, tokens(streamed.body()));
    assertTrue(streamed.head().contains("content-length: 16777216"));
  }

  @Test
  void badChunkHasASizeThatIsNone() {
    try (RawClient client = new RawClient(simulator)) {
      client.post(RawClient.body(true, "x", ""), "x-sim-fault: bad-chunk=2");
      assertEquals(2, tokens(client.readUntil("xyz\r\nno chunk\r\n")));
    }
    try (RawClient client = new RawClient(simulator)) {
      client.post(RawClient.body(false, "x", ""), "x-sim-fault: bad-chunk");
      assertTrue(client.readUntil("xyz\r\n").contains("chat.completion"));
    }
  }

  @Test
  void garbageTrailsACompleteAnswer() {
    assertTrue(ask(true, "trailing-garbage").endsWith("0\r\n\r\ngarbage behind the answer\r\n"));
  }

  @Test
  void unsolicitedBytesArriveOnTheIdleConnection() {
    try (RawClient client = new RawClient(simulator)) {
      client
          .post(RawClient.body(true, "x", ""), "x-sim-fault: unsolicited=1ms")
          .readUntil("0\r\n\r\n");
      assertTrue(client.readUntil("\r\n\r\n").startsWith("HTTP/1.1 200 OK"));
    }
  }

  @Test
  void idleConnectionIsClosedWhenAsked() {
    try (RawClient client = new RawClient(simulator)) {
      client
          .post(RawClient.body(true, "x", ""), "x-sim-fault: close-idle-after=1ms")
          .readUntil("0\r\n\r\n");
      assertEquals("", client.readToEnd());
    }
  }

  @Test
  void connectionCloseIsSaidAndDone() {
    try (RawClient client = new RawClient(simulator)) {
      Http answer =
          Http.of(
              client
                  .post(RawClient.body(true, "x", ""), "x-sim-fault: connection-close")
                  .readToEnd());
      assertTrue(answer.head().contains("connection: close"));
      assertTrue(answer.events().contains("[DONE]"));
    }
  }

  @Test
  void http10EndsTheBodyByClosing() {
    Http answer = stream("http10");
    assertTrue(answer.head().startsWith("HTTP/1.0 200"));
    assertFalse(answer.head().contains("chunked"));
    assertTrue(answer.events().contains("[DONE]"));
  }

  @Test
  void interimResponsesComeFirst() {
    String raw = ask(true, "continue-100;early-hints-103");
    assertTrue(raw.startsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"), raw);
    assertTrue(raw.contains("\r\n\r\nHTTP/1.1 200 OK\r\n"));
  }

  // Errors and ends within the stream.

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void errorEventComesAfterThatManyTokens(int count) {
    Http answer = stream("error-event-after=" + count + ";error-code=503;error-message=no luck");
    List<String> events = answer.events();
    assertEquals(count, tokens(answer.body()));
    JsonNode error = Http.json(events.get(events.size() - 2)).get("error");
    assertEquals("no luck", error.get("message").asText());
    assertEquals(503, error.get("code").asInt());
    assertEquals("[DONE]", events.get(events.size() - 1));
    assertEquals(count == 0 ? 2 : count + 3, events.size());
  }

  @Test
  void errorWithoutStreamIsHttp500() {
    assertEquals(500, unary("error-event-after=3").status());
  }

  @ParameterizedTest
  @CsvSource({"no-finish,", "empty-finish,''", "finish=abort,abort", "finish=martian,martian"})
  void finishIsWhatWasAskedFor(String fault, String expected) {
    List<JsonNode> chunks = stream(fault).chunks();
    JsonNode streamed = chunks.get(chunks.size() - 2).at("/choices/0/finish_reason");
    JsonNode whole = unary(fault).json().at("/choices/0/finish_reason");
    for (JsonNode finish : List.of(streamed, whole)) {
      assertEquals(expected == null, finish.isMissingNode());
      assertEquals(expected == null ? "" : expected, finish.asText(""));
    }
  }

  @Test
  void nullFinishIsJsonNull() {
    assertTrue(unary("null-finish").json().at("/choices/0/finish_reason").isNull());
  }

  @Test
  void finishMayComeWithTheLastTokenOrAlone() {
    List<JsonNode> chunks = stream("finish-with-last;usage-none").chunks();
    JsonNode last = chunks.get(chunks.size() - 1);
    assertEquals("stop", last.at("/choices/0/finish_reason").asText());
    assertFalse(last.at("/choices/0/delta/content").asText().isEmpty());
    assertEquals(9, chunks.size());
    assertEquals(10, stream("finish-alone;usage-none").chunks().size());
  }

  @Test
  void doneMayBeMissing() {
    assertFalse(stream("no-done").events().contains("[DONE]"));
  }

  @Test
  void usageMayBeMissingOrEverywhere() {
    assertFalse(stream("usage-none").body().contains("usage"));
    assertTrue(unary("usage-none").json().get("usage").isNull());
    List<JsonNode> chunks = stream("continuous-usage").chunks();
    assertEquals(3, chunks.get(3).at("/usage/completion_tokens").asInt());
    assertTrue(chunks.stream().allMatch(c -> c.has("usage")));
  }

  // Odd framing.

  @Test
  void splitBytesAreTheSameBytes() {
    assertEquals(plainText(), stream("split=1").text());
  }

  @ParameterizedTest
  @CsvSource({"crlf,'\r\n'", "cr,'\r'", "lf,'\n'"})
  void linesEndAsAsked(String word, String eol) {
    String body = stream("eol=" + word).body();
    assertTrue(body.endsWith("data: [DONE]" + eol + eol));
    assertEquals(plainText(), Http.of("HTTP/1.1 200 OK\r\n\r\n" + body.replace(eol, "\n")).text());
  }

  @Test
  void eventsMayBeDressedUp() {
    assertTrue(stream("no-space").body().startsWith("data:{"));
    assertTrue(stream("bom").body().startsWith("\u00ef\u00bb\u00bfdata: {"));
    assertTrue(stream("event=error").body().startsWith("event: error\ndata: {"));
    String commented = stream("comments").body();
    assertTrue(commented.startsWith(": ping\n\n\nid: 7\nretry: 3000\n"), commented);
    String lines = stream("multi-line").body();
    assertTrue(lines.contains("data: {\ndata: \"id\""), lines);
    Http joined = Http.of("HTTP/1.1 200 OK\r\n\r\n" + lines.replace("{\ndata: ", "{"));
    assertEquals(plainText(), joined.text());
  }

  @Test
  void lateHeadersStillCarryTheWholeAnswer() {
    assertEquals(plainText(), stream("late-headers").text());
  }

  // Odd content.

  @Test
  void deltasWithoutTextChangeNothing() {
    assertEquals(plainText(), stream("null-deltas").text());
    assertEquals(plainText(), stream("role-only").text());
    assertEquals(plainText(), stream("no-role").text());
    assertFalse(stream("no-role").body().contains("assistant"));
  }

  @Test
  void oddJsonReadsTheSame() {
    Http odd = stream("odd-json");
    assertFalse(odd.body().contains(plainText().substring(0, 4)));
    assertEquals(plainText(), odd.text());
    assertEquals("m", odd.chunks().get(0).get("model").asText());
    assertEquals(plainText(), unary("odd-json").json().at("/choices/0/message/content").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {"reasoning", "reasoning-content"})
  void firstTokensMayBeReasoning(String fault) {
    String key = fault.replace('-', '_');
    List<JsonNode> chunks = stream(fault + "=3").chunks();
    StringBuilder thoughts = new StringBuilder();
    chunks.forEach(c -> thoughts.append(c.at("/choices/0/delta/" + key).asText("")));
    String rest = Http.of(ask(true, fault + "=3")).text();
    assertEquals(plainText(), thoughts + rest);
    JsonNode message = unary(fault + "=3").json().at("/choices/0/message");
    assertEquals(thoughts.toString(), message.get(key).asText());
    assertEquals(rest, message.get("content").asText());
  }

  @Test
  void emojiMayBeSplitOrHalf() {
    List<JsonNode> chunks = stream("surrogates").chunks();
    assertTrue(stream("surrogates").body().contains("\"content\":\"\\ud83d\""));
    assertEquals(13, chunks.size());
    assertTrue(unary("surrogates").body().contains("\\ud83d\\ude00"));
    assertTrue(stream("lone-surrogate").body().contains("\"content\":\"\\ud83d\""));
  }

  @Test
  void bytesMayBeNoUtf8() {
    assertTrue(stream("invalid-utf8").body().contains("\u00c3(\u00ff\u00e4\u00bd"));
  }

  @Test
  void nestingNumbersAndLinesMayBeHuge() {
    assertTrue(stream("deep-nesting=1500").body().contains("[".repeat(1500) + "]".repeat(1500)));
    assertTrue(unary("huge-number=3000").body().contains("\"number\":" + "7".repeat(3000)));
    assertTrue(
        stream("huge-line=200000").body().contains("\"content\":\"" + "a".repeat(200_000) + "\""));
    assertEquals(
        300_000,
        unary("big-answer=300000").json().at("/choices/0/message/content").asText().length());
    assertEquals(300_000, stream("big-answer=300000").text().length());
  }

  // Other routes.

  @Test
  void healthAndModelsFailByTheirOwnFaultsOnly() {
    simulator.setFault("status=500;health-status=500;models-status=401");
    assertEquals(500, get("/health", "x: y").status());
    assertEquals(401, get("/v1/models", "x: y").status());
    simulator.setFault("status=500");
    assertEquals(200, get("/health", "x: y").status());
    assertEquals(418, get("/v1/models", "x-sim-fault: status=418").status());
    assertEquals(400, get("/health", "x-sim-fault: nonsense").status());
    assertEquals(200, get("/health", "x-sim-fault: slow-health=1ms").status());
  }

  private static Http get(String path, String header) {
    try (RawClient client = new RawClient(simulator)) {
      return Http.of(client.get(path, header, "connection: close").readToEnd());
    }
  }
}
