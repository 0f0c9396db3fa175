package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.TcpProxy;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the network between gateway and backend does to a call. */
class WireFaultsTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Map<String, String> SETTINGS =
      Map.of("health.interval", "1h", "first-token-timeout", "400ms", "gap-timeout", "400ms");

  private Simulator simulator;
  private TcpProxy proxy;
  private LoneGateway gateway;

  @BeforeEach
  void start() {
    simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ofMillis(5), Duration.ofMillis(20))
                .withAnswerTokens(200));
    simulator.start();
    proxy = TcpProxy.before(simulator.port());
    gateway = LoneGateway.before(proxy.port(), SETTINGS).ready();
  }

  @AfterEach
  void stop() {
    gateway.close();
    proxy.close();
    simulator.close();
  }

  private RecordingObserver<CompleteRequest, TokenChunk> stream() {
    RecordingObserver<CompleteRequest, TokenChunk> call = RecordingObserver.eager();
    LLMServiceGrpc.newStub(gateway.channel()).completeStream(AskedMethod.complete("hello"), call);
    return call;
  }

  /** N3, before and after the first token. */
  @Test
  void halfOpenBackendRunsIntoTheTimeLimits() {
    RecordingObserver<CompleteRequest, TokenChunk> begun = stream();
    begun.awaitMessages(3, SOON);
    proxy.freeze();
    RecordingObserver<CompleteRequest, TokenChunk> unanswered = stream();
    assertEquals(Status.Code.UNAVAILABLE, begun.awaitEnd(SOON).getCode());
    assertEquals("INTER_TOKEN_TIMEOUT", reason(begun));
    assertEquals(Status.Code.UNAVAILABLE, unanswered.awaitEnd(SOON).getCode());
    assertEquals("FIRST_TOKEN_TIMEOUT", reason(unanswered));
    gateway.awaitQuiet();
  }

  private static String reason(RecordingObserver<?, ?> call) {
    return inferencegateway.testing.ErrorDetails.of(call.trailers()).reason();
  }

  /** N3. */
  @Test
  void cancelOverAHalfOpenConnectionIsOverAtOnce() {
    RecordingObserver<CompleteRequest, TokenChunk> begun = stream();
    begun.awaitMessages(3, SOON);
    proxy.freeze();
    begun.cancel();
    assertEquals(Status.Code.CANCELLED, begun.awaitEnd(SOON).getCode());
    Eventually.within(Duration.ofMillis(300))
        .assertThat("no call is left", () -> gateway.gateway().runningCalls() == 0);
    proxy.thaw();
    Eventually.within(SOON)
        .assertThat("the backend hears of it", () -> simulator.counters().running() == 0);
    assertTrue(simulator.chats().get(0).disconnect().isPresent());
  }

  /** N5 at the socket's level: everything resets while tokens flow. */
  @ParameterizedTest
  @EnumSource(names = {"GENERATE_STREAM", "COMPLETE_STREAM"})
  void resetOfTheWireTruncatesTheAnswer(AskedMethod method) {
    Thread cutter =
        new Thread(
            () -> {
              Eventually.within(SOON)
                  .assertThat(
                      "tokens flow",
                      () -> simulator.chats().stream().anyMatch(r -> r.tokens() >= 5));
              proxy.resetAll();
            });
    cutter.start();
    Told told = method.ask(gateway.channel(), "hello");
    assertEquals("UPSTREAM_TRUNCATED", told.assertFullyExplained().reason(), told::summary);
    assertTrue(told.retryMillis().isEmpty());
    assertEquals(Integer.toString(told.pieces().size()), told.said("tokens_sent"));
    assertTrue(told.pieces().size() > 1);
  }

  /** N5, U39: where exactly the bytes end, and how. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "inside a chunk header, 2, true, UPSTREAM_TRUNCATED",
    "inside a chunk header, 2, false, UPSTREAM_TRUNCATED",
    "after a chunk's size, 2b\\r\\n, true, UPSTREAM_TRUNCATED",
    "inside an event, 10\\r\\ndata: {, true, UPSTREAM_TRUNCATED",
    "a size that is none, zz\\r\\n, false, UPSTREAM_PROTOCOL",
    "no chunk's end, 1\\r\\naXX, false, UPSTREAM_PROTOCOL"
  })
  void brokenChunkEndsTheCallAsItBroke(String what, String tail, boolean reset, String reason)
      throws IOException {
    String event = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n";
    String answer =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            + Integer.toHexString(event.length())
            + "\r\n"
            + event
            + "\r\n"
            + tail.replace("\\r\\n", "\r\n");
    AtomicInteger requests = new AtomicInteger();
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        LoneGateway behind = LoneGateway.before(server.getLocalPort(), SETTINGS)) {
      serve(server, answer, reset, requests);
      Told told = AskedMethod.COMPLETE_STREAM.ask(behind.channel(), "hello");
      assertEquals(reason, told.assertFullyExplained().reason(), told::summary);
      assertEquals("1", told.said("tokens_sent"), told::summary);
      assertTrue(told.retryMillis().isEmpty());
      assertEquals(1, requests.get(), "never sent again");
    }
  }

  /** Answers every chat so, and closes whatever else is asked. */
  private static void serve(
      ServerSocket server, String answer, boolean reset, AtomicInteger requests) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  Socket socket = server.accept();
                  if (readHead(socket.getInputStream()).startsWith("POST")) {
                    requests.incrementAndGet();
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                    socket.getOutputStream().flush();
                    awaitTaken(socket);
                    socket.setSoLinger(reset, 0);
                  }
                  socket.close();
                }
              } catch (IOException closed) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static String readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        return "";
      }
      head.append((char) b);
    }
    return head.toString();
  }

  /** The body that still comes is read, so that closing does not reset by itself. */
  private static void awaitTaken(Socket socket) throws IOException {
    socket.setSoTimeout(50);
    try {
      while (socket.getInputStream().read() >= 0) {
        continue;
      }
    } catch (java.net.SocketTimeoutException nothingMore) {
      // All of the request was read, and the answer has had time to arrive.
    }
  }
}
