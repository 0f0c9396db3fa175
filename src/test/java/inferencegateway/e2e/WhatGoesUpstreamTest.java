package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** S4: a fixed set of headers, whatever a caller sends; and the addresses it goes to. */
class WhatGoesUpstreamTest {

  private static final String KEY = "key-of-the-gateway-1234";

  @TempDir Path folder;
  private Simulator simulator;

  @BeforeEach
  void start() {
    simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ZERO, Duration.ZERO)
                .withAnswerTokens(5)
                .withSocketPath(folder.resolve("s").toString()));
    simulator.start();
  }

  @AfterEach
  void stop() {
    simulator.close();
  }

  private LoneGateway withKey() throws IOException {
    Path file = folder.resolve("key");
    Files.writeString(file, KEY + "\n");
    return LoneGateway.before(simulator.port(), Map.of("api-key-file", file.toString()));
  }

  private static Channel with(Channel channel, Map<String, String> headers) {
    Metadata metadata = new Metadata();
    headers.forEach(
        (name, value) ->
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  @ParameterizedTest
  @EnumSource
  void headersAreTheFixedOnes(AskedMethod method) throws IOException {
    try (LoneGateway gateway = withKey()) {
      Channel chatty =
          with(
              gateway.channel(),
              Map.of(
                  "authorization", "Bearer of-the-caller",
                  "cookie", "a=b",
                  "x-forwarded-for", "10.0.0.1",
                  "x-sim-fault", "status=500",
                  "host", "elsewhere",
                  "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                  "x-request-id", "Caller.id_1-x"));
      Told told = method.ask(chatty, "hello").assertAnswered();
      assertEquals("Caller.id_1-x", told.trailer("x-request-id"));

      RecordedRequest request = simulator.chats().get(0);
      assertEquals(
          new TreeSet<>(
              Set.of(
                  "accept",
                  "authorization",
                  "connection",
                  "content-length",
                  "content-type",
                  "host",
                  "traceparent",
                  "user-agent",
                  "x-request-id")),
          new TreeSet<>(request.headers().keySet()));
      assertEquals("Bearer " + KEY, request.headers().get("authorization"));
      assertEquals("keep-alive", request.headers().get("connection"));
      assertEquals("127.0.0.1:" + simulator.port(), request.headers().get("host"));
      assertEquals("application/json", request.headers().get("content-type"));
      assertEquals(
          method.isStream() ? "text/event-stream" : "application/json",
          request.headers().get("accept"));
      assertTrue(request.headers().get("user-agent").startsWith("inference-gateway/"));
      assertTrue(request.headers().get("x-request-id").matches("Caller\\.id_1-x-[0-9a-f]{8}"));
      assertEquals("/v1/chat/completions", request.path());
    }
  }

  @Test
  void sameIdTwiceIsNotTheSameForTheBackend() throws IOException {
    try (LoneGateway gateway = withKey()) {
      Channel same = with(gateway.channel(), Map.of("x-request-id", "twice"));
      AskedMethod.COMPLETE.ask(same, "hello").assertAnswered();
      AskedMethod.COMPLETE.ask(same, "hello").assertAnswered();
      List<RecordedRequest> sent = simulator.chats();
      assertNotEquals(
          sent.get(0).headers().get("x-request-id"), sent.get(1).headers().get("x-request-id"));
    }
  }

  static Stream<String> harmfulIds() {
    return Stream.of("a b", "a%0d%0aX: y", "", "a/../b", "x".repeat(129), "a;b", "a:b");
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.MethodSource("harmfulIds")
  void idThatCouldHarmIsReplaced(String id) throws IOException {
    try (LoneGateway gateway = withKey()) {
      Told told =
          AskedMethod.COMPLETE.ask(with(gateway.channel(), Map.of("x-request-id", id)), "h");
      String given = String.valueOf(told.assertAnswered().trailer("x-request-id"));
      assertTrue(given.matches("[0-9a-f]{32}"), given);
      String sent = simulator.chats().get(0).headers().get("x-request-id");
      assertTrue(sent.startsWith(given + "-"), sent);
    }
  }

  @Test
  void withoutAKeyThereIsNoAuthorization() {
    try (LoneGateway gateway = LoneGateway.before(simulator.port(), Map.of())) {
      Channel chatty = with(gateway.channel(), Map.of("authorization", "Bearer of-the-caller"));
      AskedMethod.GENERATE_STREAM.ask(chatty, "hello").assertAnswered();
      assertFalse(simulator.chats().get(0).headers().containsKey("authorization"));
    }
  }

  @Test
  void probesCarryTheKeyToo() throws IOException {
    try (LoneGateway gateway = withKey().ready()) {
      RecordedRequest probe = simulator.requests().get(0);
      assertEquals("/v1/models", probe.path());
      assertEquals("Bearer " + KEY, probe.headers().get("authorization"));
      assertEquals(gateway.gateway().runningCalls(), 0);
    }
  }

  /** The path may be given too. */
  @ParameterizedTest
  @ValueSource(strings = {"", ":/v1"})
  void unixSocketServesAsWellAsAPort(String path) {
    String backend = "unix:" + folder.resolve("s") + path;
    try (LoneGateway gateway = LoneGateway.before(backend, Map.of()).ready()) {
      String first = "";
      for (AskedMethod method : AskedMethod.values()) {
        String text = method.ask(gateway.channel(), "over a file").assertAnswered().text();
        first = first.isEmpty() ? text : first;
        assertEquals(first, text);
      }
      List<RecordedRequest> sent = simulator.chats();
      assertEquals(4, sent.size());
      assertEquals(1, sent.stream().map(RecordedRequest::connection).distinct().count());
      assertFalse(sent.get(0).headers().get("host").contains("/"), "no path in the host");
      Told cut = AskedMethod.COMPLETE_STREAM.ask(gateway.channel(), "[[sim:drop-after=3]]");
      assertEquals("UPSTREAM_TRUNCATED", cut.reason(), cut::summary);
    }
  }
}
