package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Reason;
import inferencegateway.chat.Tracking;
import inferencegateway.config.ApiKey;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpFault;
import inferencegateway.http.HttpRequest;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChatCallTest {

  private final Backend backend = new Backend();
  private final RecordingListener heard = backend.listener;

  @Test
  void onlyTheFixedHeadersAreSent() {
    backend.stream();
    HttpRequest request = backend.wire().request;
    assertEquals("POST", request.method());
    assertEquals("/v1/chat/completions", request.path());
    assertEquals(
        Set.of("content-type", "accept", "authorization", "x-request-id", "user-agent"),
        request.headers().keySet());
    assertEquals("application/json", request.headers().get("content-type"));
    assertEquals("text/event-stream", request.headers().get("accept"));
    assertEquals("Bearer " + Backend.KEY, request.headers().get("authorization"));
    assertEquals("inference-gateway/1.2.3", request.headers().get("user-agent"));
    assertArrayEquals(ChatBody.write(Backend.request("hi"), true), request.body());
  }

  @Test
  void withoutAKeyThereIsNoAuthorization() {
    Map<String, String> headers = new RequestHeaders("1", () -> null).chat(false, Tracking.of("r"));
    assertEquals(Set.of("content-type", "accept", "x-request-id", "user-agent"), headers.keySet());
    assertEquals("application/json", headers.get("accept"));
  }

  @Test
  void theSameRequestIdIsNeverSentTwice() {
    backend.unary();
    String first = backend.wire().request.headers().get("x-request-id");
    backend.unary();
    String second = backend.wire().request.headers().get("x-request-id");
    assertTrue(first.matches("r1-[0-9a-f]{8}"), first);
    assertNotEquals(first, second);
  }

  @Test
  void abortBeforeAnythingCameIsSilent() {
    backend.stream().abort();
    assertTrue(backend.wire().aborted);
    backend.wire().events().event(Backend.token("a"));
    assertEquals(0, heard.sent);
    assertFalse(heard.isOver());
  }

  @Test
  void abortMidStreamIsSilent() {
    UpstreamCall call = backend.stream();
    backend.wire().events().event(Backend.token("a"));
    call.abort();
    call.abort();
    assertTrue(backend.wire().aborted);
    assertFalse(heard.isOver());
    assertEquals(0, backend.loop.timersLeft());
  }

  @Test
  void abortFromElsewhereSilencesAtOnce() {
    UpstreamCall call = backend.stream();
    backend.wire().events();
    backend.loop.pretendElsewhere = true;
    call.abort();
    backend.loop.pretendElsewhere = false;
    backend.wire().event(Backend.token("a")).event("[DONE]");
    assertEquals(0, heard.deltas.size());
    assertFalse(heard.isOver());
    backend.loop.run();
    assertTrue(backend.wire().aborted);
  }

  @Test
  void abortInsideADeltaIsTheLastThingHeard() {
    UpstreamCall call = backend.stream();
    heard.onEveryDelta = call::abort;
    backend
        .wire()
        .events()
        .body(
            "data: "
                + Backend.token("a")
                + "\n\ndata: "
                + Backend.chunk("{\"content\":\"b\"}", "\"stop\"")
                + "\n\ndata: [DONE]\n\n");
    assertEquals("a", heard.text());
    assertFalse(heard.isOver());
    assertTrue(backend.wire().aborted);
  }

  @Test
  void abortInsideTheDeltaOfTheEndIsTheLastThingHeard() {
    UpstreamCall call = backend.stream();
    heard.onEveryDelta = call::abort;
    backend.wire().events().event(Backend.token("\\ud83d")).event(Backend.STOP).event("[DONE]");
    assertEquals("\uFFFD", heard.text());
    assertFalse(heard.isOver());
  }

  @Test
  void abortOfAWaitingErrorBodyStopsItsTimer() {
    UpstreamCall call = backend.stream();
    backend.wire().sent().head(500, "application/json");
    call.abort();
    assertEquals(0, backend.loop.timersLeft());
    assertFalse(heard.isOver());
  }

  @Test
  void abortAfterTheEndLeavesTheConnectionAlone() {
    UpstreamCall call = backend.stream();
    backend.wire().events().event(Backend.STOP).event("[DONE]");
    call.abort();
    assertFalse(backend.wire().aborted);
    assertTrue(backend.wire().end().isReusable());
    assertEquals(0, backend.loop.timersLeft());
  }

  @Test
  void largeBodiesAreWrittenElsewhere() {
    ChatRequest large = Backend.request("é".repeat(300_000));
    backend.backend.chat(backend.loop, large, true, Tracking.of("r"), heard);
    assertEquals(0, backend.transport.sent.size());
    backend.loop.runNext();
    assertArrayEquals(ChatBody.write(large, true), backend.wire().request.body());
  }

  @Test
  void abortWhileALargeBodyIsWrittenSendsNothing() {
    UpstreamCall call =
        backend.backend.chat(
            backend.loop, Backend.request("x".repeat(300_000)), true, Tracking.of("r"), heard);
    call.abort();
    call.pause();
    call.resume();
    // Either the writer saw it, or its task finds the call closed.
    backend.backend.chat(
        backend.loop, Backend.request("y".repeat(300_000)), true, Tracking.of("r"), heard);
    while (backend.transport.sent.isEmpty()) {
      backend.loop.runNext();
    }
    backend.loop.run();
    assertEquals(1, backend.transport.sent.size());
    assertTrue(new String(backend.wire().request.body(), UTF_8).contains("yyy"));
  }

  @Test
  void aPauseBeforeTheRequestHolds() {
    UpstreamCall call =
        backend.backend.chat(
            backend.loop, Backend.request("x".repeat(300_000)), true, Tracking.of("r"), heard);
    call.pause();
    backend.loop.runNext();
    assertTrue(backend.wire().paused);
    call.resume();
    assertFalse(backend.wire().paused);
  }

  @Test
  void aTransportThatFailsAtOnceIsHeard() {
    Exchange dead = new FakeTransport.Sent(backendRequest(), null);
    OpenAiBackend failing =
        new OpenAiBackend(
            (loop, request, handler) -> {
              handler.onFault(new HttpFault(HttpFault.Kind.CONNECT, "refused"));
              return dead;
            },
            Backend.config(),
            Backend.limits(),
            ApiKey.NONE,
            "1");
    failing.chat(backend.loop, Backend.request("a"), true, Tracking.of("r"), heard);
    assertEquals(Reason.UPSTREAM_CONNECT, heard.reason());
    assertEquals("refused", heard.failure.forLog());
  }

  @Test
  void aTransportThatThrowsEndsTheCall() {
    OpenAiBackend failing =
        new OpenAiBackend(
            (loop, request, handler) -> {
              throw new IllegalArgumentException("the key");
            },
            Backend.config(),
            Backend.limits(),
            ApiKey.NONE,
            "1");
    failing.chat(backend.loop, Backend.request("a"), true, Tracking.of("r"), heard);
    assertEquals(Reason.BUG, heard.reason());
    assertFalse(heard.failure.message().contains("key"));
  }

  private static HttpRequest backendRequest() {
    return new HttpRequest("GET", "/", Map.of(), new byte[0]);
  }

  @Test
  void connectionUseIsThatOfTheExchange() {
    UpstreamCall call = backend.stream();
    assertEquals(new Exchange.ConnectionUse(true, 1), call.connectionUse());
    UpstreamCall waiting =
        backend.backend.chat(
            backend.loop, Backend.request("x".repeat(300_000)), true, Tracking.of("r"), heard);
    assertEquals(new Exchange.ConnectionUse(false, 0), waiting.connectionUse());
    backend.loop.runNext();
  }

  @Test
  void ourOwnFaultEndsOneCallOnly() {
    backend.stream();
    heard.onEveryDelta =
        () -> {
          throw new IllegalStateException("the prompt");
        };
    backend.wire().events().event(Backend.token("a"));
    assertEquals(Reason.BUG, heard.reason());
    assertFalse(heard.failure.message().contains("prompt"));
    assertTrue(backend.wire().aborted);
    assertNull(heard.finish);
  }
}
