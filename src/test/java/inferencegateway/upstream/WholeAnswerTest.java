package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Usage;
import inferencegateway.http.HttpFault;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeAnswerTest {

  private final Backend backend = new Backend();
  private final RecordingListener heard = backend.listener;

  private static String completion(String content, String finish) {
    return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{"
        + "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
        + content
        + ",\"reasoning\":\"so\",\"tool_calls\":[]},\"logprobs\":null,\"finish_reason\":"
        + finish
        + ",\"stop_reason\":null}],\"usage\":{\"prompt_tokens\":5,\"total_tokens\":7,"
        + "\"completion_tokens\":2,\"prompt_tokens_details\":null},\"prompt_logprobs\":null}";
  }

  private FakeTransport.Sent answer(String body) {
    backend.unary();
    return backend.wire().json(200, body);
  }

  @Test
  void comesAsOneDelta() {
    FakeTransport.Sent wire = answer(completion("\"é漢\"", "\"stop\""));
    assertEquals(new AnswerHead("chatcmpl-1", "m"), heard.head);
    assertEquals(List.of(new Delta("é漢", "so")), heard.deltas);
    assertEquals(Finish.of("stop"), heard.finish);
    assertEquals(new Usage(5, 2, 7, null, null, true), heard.usage);
    assertTrue(wire.isReusable());
    assertEquals(0, backend.loop.timersLeft());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "\"\""})
  void withoutFinishItIsATruncation(String finish) {
    answer(completion("\"a\"", finish));
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "{}", "{\"choices\":[]}"})
  void withoutAnythingItIsEmpty(String body) {
    answer(body);
    assertEquals(Reason.UPSTREAM_EMPTY, heard.reason());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[{\"type\":\"text\",\"text\":\"a\"}]", "5", "{}", "true"})
  void contentThatIsNoTextIsAProtocolError(String content) {
    FakeTransport.Sent wire = answer(completion(content, "\"stop\""));
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
    assertEquals(List.of(), heard.deltas);
    assertTrue(wire.aborted);
  }

  @Test
  void nullContentIsNone() {
    answer(completion("null", "\"stop\""));
    assertEquals(List.of(new Delta("", "so")), heard.deltas);
    assertEquals(Finish.of("stop"), heard.finish);
  }

  @Test
  void errorAndAbortAreFailures() {
    answer(completion("\"a\"", "\"abort\""));
    assertEquals(Reason.UPSTREAM_ABORTED, heard.reason());
  }

  @Test
  void anErrorWithStatus200IsAnError() {
    FakeTransport.Sent wire =
        answer("{\"error\":{\"message\":\"x\",\"type\":\"NotFoundError\",\"code\":404}}");
    assertEquals(Reason.MODEL_NOT_FOUND, heard.reason());
    assertTrue(wire.isReusable());
  }

  @Test
  void aCutBodyIsATruncation() {
    backend.unary();
    backend.wire().sent().head(200, "application/json").body("{\"id\"").fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void aCutBeforeTheBodyIsAReset() {
    backend.unary();
    backend.wire().sent().head(200, "application/json").fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_RESET, heard.reason());
  }

  @Test
  void aBodyThatEndsInsideItsJsonIsATruncation() {
    answer("{\"id\":\"x\",\"choices\":[{");
    assertEquals(Reason.UPSTREAM_TRUNCATED, heard.reason());
  }

  @Test
  void whatIsNoJsonIsAProtocolError() {
    FakeTransport.Sent wire = answer("hello");
    assertEquals(Reason.UPSTREAM_PROTOCOL, heard.reason());
    assertTrue(wire.aborted);
  }

  @Test
  void anAnswerAboveTheMessageLimitNamesTheWayOut() {
    Backend small = new Backend(false, 16 << 20, 10_000);
    small.unary();
    small.wire().json(200, completion("\"" + "é".repeat(5_000) + "\"", "\"stop\""));
    assertEquals(Reason.RESPONSE_TOO_LARGE, small.listener.reason());
    String message = small.listener.failure.message();
    assertTrue(
        message.contains("limits.max-response-bytes") && message.contains("stream"), message);
  }

  @Test
  void anAnswerJustBelowTheMessageLimitIsDelivered() {
    Backend small = new Backend(false, 16 << 20, 12_000);
    small.unary();
    small.wire().json(200, completion("\"" + "é".repeat(5_000) + "\"", "\"stop\""));
    assertEquals(5_000, small.listener.text().length());
  }

  @Test
  void aBodyAboveTheLimitIsNotReadToItsEnd() {
    Backend small = new Backend(false, 1_000, 4 << 20);
    small.unary();
    small.wire().sent().head(200, "application/json").body("x".repeat(900));
    assertFalse(small.wire().aborted);
    small.wire().body("x".repeat(101));
    assertEquals(Reason.RESPONSE_TOO_LARGE, small.listener.reason());
    assertTrue(small.wire().aborted);
  }

  @Test
  void aStreamIsTakenWhereAWholeBodyWasAskedFor() {
    backend.unary();
    backend.wire().events().event(Backend.token("a")).event(Backend.STOP).event("[DONE]");
    assertEquals("a", heard.text());
  }
}
