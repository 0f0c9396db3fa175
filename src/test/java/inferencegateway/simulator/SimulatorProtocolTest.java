package inferencegateway.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimulatorProtocolTest {

  private static final Duration SOON = Duration.ofSeconds(5);

  private final SimulatorConfig quick =
      SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO);
  private Simulator simulator = new Simulator(quick);

  @BeforeEach
  void start() {
    simulator.start();
  }

  @AfterEach
  void close() {
    simulator.close();
  }

  private void restartWith(SimulatorConfig config) {
    simulator.close();
    simulator = new Simulator(config);
    simulator.start();
  }

  private Http stream(String prompt, String more) {
    return Http.of(RawClient.stream(simulator, prompt, more));
  }

  private Http unary(String prompt, String more) {
    return Http.of(RawClient.unary(simulator, prompt, more));
  }

  private Http get(String path, String... headers) {
    try (RawClient client = new RawClient(simulator)) {
      String[] all = java.util.Arrays.copyOf(headers, headers.length + 1);
      all[headers.length] = "connection: close";
      return Http.of(client.get(path, all).readToEnd());
    }
  }

  @Test
  void streamIsRoleThenTokensThenFinishThenUsageThenDone() {
    Http answer = stream("Hello", ",\"stream_options\":{\"include_usage\":true},\"seed\":3");

    assertEquals(200, answer.status());
    assertTrue(answer.head().contains("content-type: text/event-stream"));
    List<JsonNode> chunks = answer.chunks();
    assertEquals("assistant", chunks.get(0).at("/choices/0/delta/role").asText());
    assertEquals("", chunks.get(0).at("/choices/0/delta/content").asText());
    JsonNode finish = chunks.get(chunks.size() - 2);
    assertEquals("stop", finish.at("/choices/0/finish_reason").asText());
    assertEquals("", finish.at("/choices/0/delta/content").asText("none"));
    JsonNode usage = chunks.get(chunks.size() - 1);
    assertTrue(usage.get("choices").isEmpty());
    assertEquals(chunks.size() - 3, usage.at("/usage/completion_tokens").asInt());
    assertEquals(
        usage.at("/usage/total_tokens").asInt(),
        usage.at("/usage/prompt_tokens").asInt() + usage.at("/usage/completion_tokens").asInt());
    assertEquals("[DONE]", answer.events().get(answer.events().size() - 1));
  }

  private static final String GOES_ON =
      ",\"seed\":3,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"},"
          + "{\"role\":\"assistant\",\"content\":\"%s\"}],\"continue_final_message\":true";

  private static String text(Http answer) {
    return answer.json().at("/choices/0/message/content").asText();
  }

  @Test
  void anAnswerGoesOnWhereItsBeginningEnds() {
    String whole = text(unary("Hello", ",\"seed\":3"));
    for (int end : new int[] {1, 10, 25, whole.length() / 2}) {
      Http rest = unary("", GOES_ON.formatted(whole.substring(0, end)));
      assertEquals(whole.substring(end), text(rest));
    }
    assertTrue(simulator.chats().get(1).continued());
    assertFalse(simulator.chats().get(0).continued());
  }

  @Test
  void whatGoesOnMayNotBeginAnew() {
    Http refused = unary("", GOES_ON.formatted("A") + ",\"add_generation_prompt\":true");
    assertEquals(400, refused.status());
    assertTrue(
        refused.json().at("/error/message").asText().contains("Cannot set both"), refused.body());
    String good = GOES_ON.formatted("A") + ",\"add_generation_prompt\":false";
    assertEquals(200, unary("", good).status());
  }

  @Test
  void usageComesOnlyWhenAskedFor() {
    assertTrue(stream("Hello", "").chunks().stream().noneMatch(c -> c.has("usage")));
  }

  @Test
  void wholeAnswerSaysWhatTheStreamSays() {
    Http whole = unary("Hello", ",\"seed\":3");

    assertEquals(
        stream("Hello", ",\"seed\":3").text(),
        whole.json().at("/choices/0/message/content").asText());
    assertEquals("chat.completion", whole.json().get("object").asText());
    assertEquals("stop", whole.json().at("/choices/0/finish_reason").asText());
  }

  @Test
  void sameSeedSameTextAndOtherSeedsOtherTexts() {
    String first = stream("Hello", ",\"seed\":1").text();
    assertEquals(first, stream("Hello", ",\"seed\":1").text());
    assertNotEquals(first, stream("Hello", ",\"seed\":2").text());
    assertNotEquals(stream("Hello", "").text(), stream("Hello", "").text());
    assertEquals(
        stream("Hello", ",\"temperature\":0").text(), stream("Hello", ",\"temperature\":0").text());
  }

  @Test
  void chinesePromptGetsChineseAnswer() {
    String text =
        unary("\u4f60\u597d\uff0c\u8bf7\u4ecb\u7ecd\u4e00\u4e0b", "")
            .json()
            .at("/choices/0/message/content")
            .asText();
    assertTrue(text.codePoints().filter(Prose::isHan).count() > 20, text);
  }

  @Test
  void maxTokensCutsWithTheFinishOnTheLastToken() {
    List<JsonNode> chunks = stream("Hello", ",\"max_tokens\":4").chunks();

    assertEquals(5, chunks.size());
    assertEquals("length", chunks.get(4).at("/choices/0/finish_reason").asText());
    assertFalse(chunks.get(4).at("/choices/0/delta/content").asText().isEmpty());
  }

  @Test
  void newerNameOfMaxTokensWins() {
    JsonNode whole = unary("Hello", ",\"max_tokens\":9,\"max_completion_tokens\":2").json();
    assertEquals(2, whole.at("/usage/completion_tokens").asInt());
  }

  @Test
  void stopStringEndsTheAnswerAndIsNamed() {
    JsonNode plain = unary("Hello", ",\"seed\":5").json();
    String text = plain.at("/choices/0/message/content").asText();
    String stop = text.substring(7, 12);
    JsonNode stopped =
        unary("Hello", ",\"seed\":5,\"stop\":[\"never there\",\"" + stop + "\"]").json();

    assertEquals(
        text.substring(0, text.indexOf(stop)), stopped.at("/choices/0/message/content").asText());
    assertEquals("stop", stopped.at("/choices/0/finish_reason").asText());
    assertEquals(stop, stopped.at("/choices/0/stop_reason").asText());
  }

  @Test
  void ignoreEosAndMinTokensLengthenTheAnswer() {
    assertEquals(
        300,
        unary("Hello", ",\"ignore_eos\":true,\"max_tokens\":300")
            .json()
            .at("/usage/completion_tokens")
            .asInt());
    assertTrue(
        unary("Hello", ",\"min_tokens\":250").json().at("/usage/completion_tokens").asInt() >= 250);
  }

  @Test
  void answerLengthCanBeSet() {
    restartWith(quick.withAnswerTokens(7));
    JsonNode whole = unary("Hello", "").json();
    assertEquals(7, whole.at("/usage/completion_tokens").asInt());
    assertEquals("stop", whole.at("/choices/0/finish_reason").asText());
  }

  @Test
  void modelIsEchoedAndEmptyMeansTheFirst() {
    assertEquals(
        "qwen2.5-coder:32b",
        unary("Hello", ",\"model\":\"qwen2.5-coder:32b\"").json().get("model").asText());
    assertEquals("simulated-model", unary("Hello", ",\"model\":\"\"").json().get("model").asText());
  }

  @Test
  void unknownModelIsNotFound() {
    Http answer = unary("Hello", ",\"model\":\"nobody\"");
    assertEquals(404, answer.status());
    assertEquals("NotFoundError", answer.json().at("/error/type").asText());
    assertEquals("model", answer.json().at("/error/param").asText());
    assertEquals(404, answer.json().at("/error/code").asInt());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'messages':[]} | messages must not be empty",
        "{'model':''} | Field required",
        "{'messages':3} | valid list",
        "[] | valid dictionary",
        "{ | JSON decode error",
        "{'messages':[{'role':'user','content':'x'}],'max_tokens':0} | max_tokens must be at least 1, got 0.",
        "{'messages':[{'role':'user','content':'x'}],'max_tokens':'y'} | valid integer",
        "{'messages':[{'role':'user','content':'x'}],'temperature':-1} | temperature must be non-negative, got -1.",
        "{'messages':[{'role':'user','content':'x'}],'top_p':0} | top_p must be in (0, 1], got 0",
        "{'messages':[{'role':'user','content':'x'}],'top_p':1.5} | top_p must be in (0, 1], got 1.5.",
        "{'messages':[{'role':'user','content':'x'}],'max_tokens':2,'min_tokens':3} | less than or equal to max_tokens=2, got 3.",
        "{'messages':[{'role':'user','content':'x'}],'stream_options':{'include_usage':true}} | can only be defined when `stream=True`",
        "{'messages':[{'role':'user','content':'x'}],'max_tokens':900000} | is too large: 900000",
      })
  void badRequestsAreRefusedInVllmsWords(String body, String words) {
    try (RawClient client = new RawClient(simulator)) {
      Http answer = Http.of(client.post(body.replace('\'', '"'), "connection: close").readToEnd());
      assertEquals(400, answer.status());
      assertTrue(answer.json().at("/error/message").asText().contains(words), answer.body());
      assertEquals(400, answer.json().at("/error/code").asInt());
    }
  }

  @Test
  void promptAboveTwentyMegabytesIsRead() {
    restartWith(quick.withMaxModelLen(SimulatorConfig.UNBOUNDED).withAnswerTokens(2));
    Http answer = unary("x".repeat(33 << 20), "");
    assertEquals(200, answer.status(), answer.body());
    assertTrue(answer.json().at("/usage/prompt_tokens").asInt() > 8_000_000, answer.body());
  }

  @Test
  void promptBeyondTheContextIsRefused() {
    restartWith(quick.withMaxModelLen(100));
    Http answer = unary("word ".repeat(100), "");
    assertEquals(400, answer.status());
    assertTrue(answer.body().contains("maximum context length is 100 tokens"), answer.body());
  }

  @Test
  void keyGuardsOnlyV1() {
    restartWith(quick.withApiKey("sesame"));
    assertEquals(401, get("/v1/models").status());
    assertEquals("{\"error\":\"Unauthorized\"}", get("/v1/models").body());
    assertEquals(401, unary("Hello", "").status());
    assertEquals(200, get("/v1/models", "authorization: Bearer sesame").status());
    assertEquals(200, get("/health").status());
  }

  @Test
  void modelsAreListedInVllmsShape() {
    JsonNode models = get("/v1/models").json();
    assertEquals(3, models.get("data").size());
    for (String field :
        List.of(
            "id",
            "object",
            "created",
            "owned_by",
            "root",
            "parent",
            "max_model_len",
            "permission")) {
      assertTrue(models.at("/data/1").has(field), field);
    }
    assertEquals("meta-llama/Llama-3.1-8B-Instruct", models.at("/data/1/id").asText());
  }

  @Test
  void healthFollowsTheSwitch() {
    assertEquals(200, get("/health").status());
    simulator.setHealthy(false);
    assertEquals(503, get("/health").status());
  }

  @Test
  void wrongPathAndMethodGetFastApisWords() {
    assertEquals("{\"detail\":\"Not Found\"}", get("/v2/nothing").body());
    assertEquals(405, get("/v1/chat/completions").status());
    assertTrue(get("/version").json().has("version"));
  }

  @Test
  void metricsCountWhatHappened() throws InterruptedException {
    stream("Hello", ",\"max_tokens\":4");
    unary("Hello", "");
    assertTrue(simulator.awaitIdle(SOON));
    String page = get("/metrics").body();
    assertTrue(page.contains("finished_reason=\"length\"} 1.0"), page);
    assertTrue(page.contains("finished_reason=\"stop\"} 1.0"), page);
    assertTrue(
        page.contains("vllm:num_requests_running{engine=\"0\",model_name=\"simulated-model\"} 0.0"),
        page);
    assertEquals(2, simulator.counters().finished());
  }

  @Test
  void connectionServesOneRequestAfterTheOther() {
    try (RawClient client = new RawClient(simulator)) {
      client.post(RawClient.body(true, "one", "")).readUntil("0\r\n\r\n");
      client.post(RawClient.body(false, "two", "")).readUntil("\"prompt_logprobs\":null}");
      client.get("/health").readUntil("\r\n\r\n");
    }
    List<RecordedRequest> requests = simulator.requests();
    assertEquals(3, requests.size());
    assertEquals(1, requests.stream().map(RecordedRequest::connection).distinct().count());
    assertEquals(2, simulator.chats().size());
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() {
    try (RawClient client = new RawClient(simulator)) {
      client.get("/version").get("/health", "connection: close");
      String both = client.readToEnd();
      assertTrue(
          both.indexOf("0.29.0") > 0 && both.indexOf("text/plain") > both.indexOf("0.29.0"), both);
    }
  }

  @Test
  void idleConnectionIsClosed() {
    restartWith(quick.withKeepAlive(Duration.ofMillis(30)));
    try (RawClient client = new RawClient(simulator)) {
      client.get("/health").readUntil("\r\n\r\n");
      assertEquals("", client.readToEnd());
      assertFalse(client.sawReset());
    }
  }

  @Test
  void expectContinueIsAnswered() {
    try (RawClient client = new RawClient(simulator)) {
      String body = RawClient.body(false, "Hello", "");
      client.raw(
          "POST /v1/chat/completions HTTP/1.1\r\nhost: t\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: "
              + body.length()
              + "\r\n\r\n");
      assertTrue(client.readUntil("\r\n\r\n").startsWith("HTTP/1.1 100 "));
      assertEquals(200, Http.of(client.raw(body).readToEnd()).status());
    }
  }

  @Test
  void bytesThatAreNoHttpGet400() {
    try (RawClient client = new RawClient(simulator)) {
      String answer = client.raw("\u0016\u0003\u0001 nonsense\r\n\r\n").readToEnd();
      assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }
  }

  @Test
  void journalKnowsWhatWasAsked() throws InterruptedException {
    String body = RawClient.body(true, "Hello", ",\"max_tokens\":3");
    try (RawClient client = new RawClient(simulator)) {
      client.post(body, "X-Request-Id: abc", "connection: close").readToEnd();
    }
    assertTrue(simulator.awaitRequests(1, SOON));
    assertTrue(simulator.awaitIdle(SOON));
    RecordedRequest request = simulator.chats().get(0);
    assertEquals("abc", request.headers().get("x-request-id"));
    assertEquals(body, request.body());
    assertEquals(3, request.tokens());
    assertFalse(request.aborted());
    assertTrue(request.firstToken().getAsLong() >= request.arrival());
    assertTrue(request.end().getAsLong() >= request.firstToken().getAsLong());
    assertTrue(request.disconnect().isEmpty());
  }

  @Test
  void journalCanBeOff() {
    restartWith(quick.withJournal(false));
    unary("Hello", "");
    assertTrue(simulator.requests().isEmpty());
  }
}
