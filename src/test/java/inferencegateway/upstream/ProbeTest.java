package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.http.HttpFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeTest {

  private static final String MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"base\",\"object\":\"model\",\"created\":1,"
          + "\"owned_by\":\"vllm\",\"root\":\"/m\",\"parent\":null,\"max_model_len\":4096,"
          + "\"permission\":[{\"id\":\"p\",\"allow_view\":true}]},{\"id\":\"lora\",\"parent\":\"base\"},"
          + "{\"object\":\"model\"},{\"id\":null}],\"more\":1}";

  private final Backend backend = new Backend();
  private final List<ProbeAnswer> answers = new ArrayList<>();

  private FakeTransport.Sent probe() {
    backend.backend.probe(backend.loop, Duration.ofSeconds(2), answers::add);
    assertTrue(backend.transport.sent.isEmpty(), "not on the loop");
    backend.loop.run();
    return backend.wire();
  }

  private ProbeAnswer.Down down() {
    assertEquals(1, answers.size());
    assertEquals(0, backend.loop.timersLeft());
    return (ProbeAnswer.Down) answers.get(0);
  }

  @Test
  void asksForModelsThenForHealth() {
    FakeTransport.Sent models = probe();
    assertEquals("GET", models.request.method());
    assertEquals("/v1/models", models.request.path());
    assertEquals(
        Set.of("accept", "authorization", "user-agent"), models.request.headers().keySet());
    models.json(200, MODELS);
    assertEquals("/health", backend.wire().request.path());
    assertTrue(answers.isEmpty());
    backend.wire().sent().head(200, "").end();
    assertEquals(List.of(new ProbeAnswer.Up(List.of("base"), List.of("base", "lora"))), answers);
    assertEquals(0, backend.loop.timersLeft());
  }

  @Test
  void namesOfOneModelCountOnceAndModelsWithoutRootEach() {
    probe()
        .json(
            200,
            "{\"data\":[{\"id\":\"a\",\"root\":\"r\",\"parent\":null},{\"id\":\"b\",\"root\":\"r\"},"
                + "{\"id\":\"c\"},{\"id\":\"d\",\"root\":\"d\"}]}");
    backend.wire().sent().head(200, "").end();
    assertEquals(
        List.of(new ProbeAnswer.Up(List.of("a", "c", "d"), List.of("a", "b", "c", "d"))), answers);
  }

  @Test
  void aBackendWithoutHealthIsUp() {
    probe().json(200, MODELS);
    backend.wire().json(404, "{\"detail\":\"Not Found\"}");
    assertEquals(List.of(new ProbeAnswer.Up(List.of("base"), List.of("base", "lora"))), answers);
  }

  @Test
  void aDeadEngineIsDown() {
    probe().json(200, MODELS);
    backend.wire().json(503, "");
    assertEquals(ProbeAnswer.Kind.STATUS, down().kind());
  }

  @ParameterizedTest
  @CsvSource({"401, AUTH", "403, AUTH", "404, STATUS", "302, STATUS", "500, STATUS", "503, STATUS"})
  void otherStatusesAreDown(int status, ProbeAnswer.Kind kind) {
    probe().json(status, "{}");
    assertEquals(kind, down().kind());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "[]", "{}", "{\"data\":{}}", "{\"data\":null}", "null"})
  void whatIsNoListIsDown(String body) {
    probe().json(200, body);
    assertEquals(ProbeAnswer.Kind.OTHER, down().kind());
  }

  @Test
  void anEmptyListIsUp() {
    probe().json(200, "{\"data\":[]}");
    backend.wire().json(404, "");
    assertEquals(List.of(new ProbeAnswer.Up(List.of(), List.of())), answers);
  }

  @ParameterizedTest
  @CsvSource({
    "CONNECT, REFUSED",
    "CONNECT_TIMEOUT, TIMEOUT",
    "NO_RESPONSE, OTHER",
    "CUT, OTHER",
    "PROTOCOL, OTHER",
    "EXHAUSTED, OTHER"
  })
  void faultsAreDown(HttpFault.Kind fault, ProbeAnswer.Kind kind) {
    probe().fault(fault);
    assertEquals(new ProbeAnswer.Down(kind, "fault " + fault), down());
  }

  @Test
  void silenceIsDownInTime() {
    FakeTransport.Sent wire = probe();
    wire.sent();
    backend.loop.pass(Duration.ofMillis(1_999));
    assertTrue(answers.isEmpty());
    backend.loop.pass(Duration.ofMillis(1));
    assertEquals(ProbeAnswer.Kind.TIMEOUT, down().kind());
    assertTrue(wire.aborted);
  }

  @Test
  void theTimeIsForBothQuestions() {
    probe().json(200, MODELS);
    backend.loop.pass(Duration.ofSeconds(2));
    assertEquals(ProbeAnswer.Kind.TIMEOUT, down().kind());
    assertTrue(backend.wire().aborted);
  }

  @Test
  void anEndlessAnswerIsCut() {
    FakeTransport.Sent wire = probe();
    wire.sent().head(200, "application/json").body(new byte[1 << 20]);
    assertFalse(wire.aborted);
    wire.body("x");
    assertEquals(ProbeAnswer.Kind.OTHER, down().kind());
    assertTrue(wire.aborted);
  }
}
