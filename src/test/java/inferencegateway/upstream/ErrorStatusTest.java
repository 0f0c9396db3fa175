package inferencegateway.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.chat.Reason;
import inferencegateway.chat.UpstreamError;
import inferencegateway.http.HttpFault;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorStatusTest {

  private final Backend backend = new Backend();

  private static String error(String message, String type, String param, int code) {
    return "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":%s,\"code\":%d}}"
        .formatted(message, type, param, code);
  }

  private Failure answer(int status, String body) {
    backend.stream();
    backend.wire().json(status, body);
    assertTrue(backend.wire().isReusable());
    assertEquals(0, backend.loop.timersLeft());
    backend.listener.reason();
    return backend.listener.failure;
  }

  @ParameterizedTest
  @CsvSource({
    "400, INVALID_REQUEST",
    "413, INVALID_REQUEST",
    "422, INVALID_REQUEST",
    "418, INVALID_REQUEST",
    "401, UPSTREAM_AUTH",
    "402, UPSTREAM_AUTH",
    "403, UPSTREAM_AUTH",
    "404, UPSTREAM_NOT_FOUND",
    "405, UPSTREAM_NOT_FOUND",
    "415, UPSTREAM_PROTOCOL",
    "408, UPSTREAM_GATEWAY",
    "425, UPSTREAM_GATEWAY",
    "499, UPSTREAM_GATEWAY",
    "502, UPSTREAM_GATEWAY",
    "504, UPSTREAM_GATEWAY",
    "429, UPSTREAM_RATE_LIMIT",
    "500, UPSTREAM_ERROR",
    "501, UNIMPLEMENTED_UPSTREAM",
    "503, UPSTREAM_STARTING",
    "505, UPSTREAM_ERROR",
    "599, UPSTREAM_ERROR"
  })
  void everyStatusHasItsReason(int status, Reason reason) {
    assertEquals(reason, answer(status, "").reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "This model's maximum context length is 16 tokens. However, you requested 30 tokens (20 in"
            + " the messages, 10 in the completion).",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input"
            + " tokens. Please reduce the length of the input messages.",
        "Input length (5000) exceeds model's maximum context length (4096).",
        "prompt is too long: 5000 tokens > 4096 maximum"
      })
  void aLongPromptIsToldFromOtherBadRequests(String message) {
    Failure failure = answer(400, error(message, "BadRequestError", "null", 400));
    assertEquals(Reason.CONTEXT_LENGTH, failure.reason());
    assertEquals(List.of(new FieldViolation("messages", message)), failure.violations());
    assertEquals(new UpstreamError("BadRequestError", "", "400"), failure.upstream());
  }

  @Test
  void tooManyTokensAskedForNameTheirField() {
    Failure failure =
        answer(
            400,
            error(
                "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum"
                    + " context length is 4096 tokens and your request has 20 input tokens",
                "BadRequestError",
                "null",
                400));
    assertEquals(Reason.CONTEXT_LENGTH, failure.reason());
    assertEquals("max_tokens", failure.violations().get(0).field());
  }

  @Test
  void aNamedParameterBecomesAViolation() {
    Failure failure =
        answer(400, error("must be positive", "Bad Request", "\"max_completion_tokens\"", 400));
    assertEquals(Reason.INVALID_REQUEST, failure.reason());
    assertEquals(
        List.of(new FieldViolation("max_tokens", "must be positive")), failure.violations());
    assertEquals("the backend refused the request (400): must be positive", failure.told());
  }

  @Test
  void anUnknownModelIsNotAnUnknownPath() {
    String unknown = "The model `m` does not exist.";
    assertEquals(
        Reason.MODEL_NOT_FOUND,
        answer(404, error(unknown, "NotFoundError", "\"model\"", 404)).reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"detail\":\"Not Found\"}",
        "{\"error\":{\"message\":\"Not Found\",\"type\":\"Not Found\",\"param\":null,\"code\":404}}",
        "404 page not found",
        "<html>nginx</html>"
      })
  void anUnknownPathIsOurOwnFault(String body) {
    assertEquals(Reason.UPSTREAM_NOT_FOUND, answer(404, body).reason());
  }

  @Test
  void theTextOfAuthErrorsIsKeptBack() {
    Failure failure = answer(401, "{\"error\":\"Unauthorized: key sk-123456789 is wrong\"}");
    assertEquals(Reason.UPSTREAM_AUTH, failure.reason());
    assertFalse(failure.toString().contains("wrong"), failure.toString());
  }

  @Test
  void retryAfterIsHeeded() {
    backend.stream();
    backend.wire().sent().head(429, "application/json", "2").body("{}").end();
    assertEquals(Reason.UPSTREAM_RATE_LIMIT, backend.listener.reason());
    assertEquals(Duration.ofSeconds(2), backend.listener.failure.retryAfter());
  }

  /** By the real clock; a backend writes whole seconds. */
  @Test
  void retryAfterMayBeADate() {
    String date =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .format(ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(7));
    backend.stream();
    backend.wire().sent().head(429, "application/json", date).body("{}").end();
    Duration pause = backend.listener.failure.retryAfter();
    assertNotNull(pause);
    assertTrue(pause.toSeconds() >= 4 && pause.toSeconds() <= 7, pause.toString());
  }

  @Test
  void aFullQueueIsToldFromAStart() {
    assertEquals(
        Reason.UPSTREAM_QUEUE_FULL,
        answer(503, error("too many", "QueueOverflowError", "null", 503)).reason());
    assertNull(backend.listener.failure.retryAfter());
  }

  @Test
  void aFullQueueIsKnownByItsWordsToo() {
    assertEquals(
        Reason.UPSTREAM_QUEUE_FULL,
        answer(503, error("The request queue is full.", "Service Unavailable", "null", 503))
            .reason());
  }

  @Test
  void aStartAsksForFiveSeconds() {
    Failure failure = answer(503, "");
    assertEquals(Reason.UPSTREAM_STARTING, failure.reason());
    assertEquals(Duration.ofSeconds(5), failure.retryAfter());
  }

  @Test
  void aRetryThatDoesNotHelpIsNotAsked() {
    backend.stream();
    backend.wire().sent().head(500, "", "2").end();
    assertNull(backend.listener.failure.retryAfter());
  }

  @Test
  void redirectsAreNotFollowed() {
    backend.stream();
    backend.wire().sent().head(302, "text/html");
    assertEquals(Reason.UPSTREAM_REDIRECT, backend.listener.reason());
    assertTrue(backend.wire().aborted);
    assertEquals(1, backend.transport.sent.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/html", "text/plain", "application/octet-stream"})
  void pagesOfProxiesAreNoAnswer(String type) {
    backend.stream();
    backend.wire().sent().head(200, type);
    assertEquals(Reason.UPSTREAM_PROTOCOL, backend.listener.reason());
    assertTrue(backend.wire().aborted);
  }

  @Test
  void anEndlessErrorBodyIsCut() {
    backend.stream();
    backend.wire().sent().head(400, "application/json").body("x".repeat(70_000));
    assertEquals(Reason.INVALID_REQUEST, backend.listener.reason());
    assertTrue(backend.wire().aborted);
  }

  @Test
  void anErrorBodyThatDoesNotComeIsNotWaitedFor() {
    backend.stream();
    backend.wire().sent().head(500, "application/json").body("{");
    backend.loop.pass(Duration.ofSeconds(2));
    assertEquals(Reason.UPSTREAM_ERROR, backend.listener.reason());
    assertTrue(backend.wire().aborted);
  }

  @Test
  void aCutErrorBodyKeepsTheStatus() {
    backend.stream();
    backend.wire().sent().head(500, "application/json").body("{").fault(HttpFault.Kind.CUT);
    assertEquals(Reason.UPSTREAM_ERROR, backend.listener.reason());
  }

  @ParameterizedTest
  @EnumSource(HttpFault.Kind.class)
  void faultsBeforeTheHeadHaveTheirReason(HttpFault.Kind kind) {
    backend.stream();
    backend.wire().fault(kind);
    Reason expected =
        switch (kind) {
          case CONNECT, CONNECT_TIMEOUT -> Reason.UPSTREAM_CONNECT;
          case EXHAUSTED -> Reason.NO_SOCKETS;
          case NO_RESPONSE, CUT -> Reason.UPSTREAM_RESET;
          case PROTOCOL -> Reason.UPSTREAM_PROTOCOL;
        };
    assertEquals(expected, backend.listener.reason());
    assertEquals("fault " + kind, backend.listener.failure.forLog());
    assertFalse(backend.listener.failure.message().contains("fault"), "addresses are for the log");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"error\":{\"message\":\"m\",\"code\":429}} | UPSTREAM_RATE_LIMIT",
        "{\"error\":{\"message\":\"m\",\"code\":\"rate_limit_exceeded\"}} | UPSTREAM_RATE_LIMIT",
        "{\"error\":{\"message\":\"m\",\"code\":\"context_length_exceeded\"}} | CONTEXT_LENGTH",
        "{\"error\":{\"message\":\"m\",\"type\":\"QueueOverflowError\"}} | UPSTREAM_QUEUE_FULL",
        "{\"error\":{\"message\":\"m\",\"type\":\"invalid_request_error\",\"code\":null}} | INVALID_REQUEST",
        "{\"error\":{\"message\":\"m\",\"code\":\"503\"}} | UPSTREAM_STARTING",
        "{\"error\":{\"message\":\"m\",\"code\":200}} | UPSTREAM_ERROR",
        "{\"error\":{\"message\":\"m\",\"code\":302}} | UPSTREAM_ERROR",
        "{\"error\":[1]} | UPSTREAM_ERROR"
      })
  void errorsInsideAStreamAreMappedByTheirCode(String error, Reason reason) {
    backend.stream();
    backend.wire().events().event(error);
    assertEquals(reason, backend.listener.reason());
  }
}
