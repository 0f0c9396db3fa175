package inferencegateway.e2e;

import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.NOT_SERVING;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls and health say when the backend is not there, goes, stands still or comes back. */
class UpstreamLostTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Map<String, String> QUICK_PROBES =
      Map.of(
          "health.interval", "100ms",
          "health.down-interval", "100ms",
          "health.timeout", "300ms");

  private Simulator simulator;

  @BeforeEach
  void start() {
    simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ofMillis(2), Duration.ofMillis(1))
                .withAnswerTokens(20));
    simulator.start();
  }

  @AfterEach
  void stop() {
    simulator.close();
  }

  private LoneGateway gateway(Map<String, String> settings) {
    return LoneGateway.before(simulator.port(), settings);
  }

  /** U1. */
  @ParameterizedTest
  @EnumSource
  void refusedConnectionIsUnavailableAndMayBeRetried(AskedMethod method) {
    try (LoneGateway gateway = gateway(Map.of("health.interval", "1h")).ready()) {
      method.ask(gateway.channel(), "before").assertAnswered();
      simulator.stop();
      Told told = method.ask(gateway.channel(), "after");
      assertEquals(Status.Code.UNAVAILABLE, told.code(), told::summary);
      assertEquals("UPSTREAM_CONNECT", told.assertFullyExplained().reason());
      assertEquals("connect", told.said("phase"));
      assertEquals(1_000L, told.retryMillis().orElseThrow());
      assertTrue(told.trailersOnly());
      simulator.start();
      method.ask(gateway.channel(), "again").assertAnswered();
    }
  }

  /** U1. */
  @Test
  void lostBackendTurnsReadinessAndLeavesLiveness() {
    try (LoneGateway gateway = gateway(QUICK_PROBES).ready()) {
      simulator.stop();
      gateway.awaitHealth(NOT_SERVING);
      assertEquals(SERVING, gateway.health("liveness"));
      assertEquals(NOT_SERVING, gateway.health("readiness"));
      assertEquals(NOT_SERVING, gateway.health(""));
      simulator.start();
      gateway.awaitHealth(SERVING);
    }
  }

  /** U1: one refused probe is none. */
  @Test
  void healthTurnsOnlyAfterSeveralFailedProbes() {
    Map<String, String> slowProbes =
        Map.of("health.interval", "300ms", "health.down-interval", "300ms");
    try (LoneGateway gateway = gateway(slowProbes).ready()) {
      Eventually.within(SOON)
          .assertThat("a probe has just been", () -> countProbes() > 4 && countProbes() % 2 == 0);
      long stopped = System.nanoTime();
      simulator.stop();
      gateway.awaitHealth(NOT_SERVING);
      long millis = Duration.ofNanos(System.nanoTime() - stopped).toMillis();
      assertTrue(millis >= 590, "two intervals at least, were " + millis + " ms");
    }
  }

  private long countProbes() {
    return simulator.requests().stream().filter(r -> r.method().equals("GET")).count();
  }

  /** U2. */
  @ParameterizedTest
  @EnumSource
  void unansweredConnectEndsAtItsLimit(AskedMethod method) throws IOException {
    List<Socket> fillers = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Assumptions.assumeTrue(fill(full, fillers), "this kernel leaves no connection waiting");
      Map<String, String> settings = Map.of("connect-timeout", "300ms");
      try (LoneGateway gateway = LoneGateway.before(full.getLocalPort(), settings)) {
        long begin = System.nanoTime();
        Told told = method.ask(gateway.channel(), "hello");
        long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
        assertEquals("UPSTREAM_CONNECT", told.assertFullyExplained().reason(), told::summary);
        assertEquals("connect", told.said("phase"));
        assertEquals(1_000L, told.retryMillis().orElseThrow());
        assertTrue(millis >= 290 && millis < 2_000, millis + " ms");
      }
    } finally {
      for (Socket filler : fillers) {
        filler.close();
      }
    }
  }

  private static boolean fill(ServerSocket full, List<Socket> fillers) throws IOException {
    for (int i = 0; i < 16; i++) {
      Socket socket = new Socket();
      fillers.add(socket);
      try {
        socket.connect(new InetSocketAddress("127.0.0.1", full.getLocalPort()), 200);
      } catch (SocketTimeoutException waiting) {
        return true;
      }
    }
    return false;
  }

  /** U12: the engine dies, its server follows; the first refused connect is proof. */
  @Test
  void deadEngineIsNoticedAtItsFirstRefusal() {
    Map<String, String> settings =
        Map.of(
            "health.interval", "1h", "health.down-interval", "100ms", "health.failures", "1000000");
    try (LoneGateway gateway = gateway(settings).ready()) {
      Told told =
          AskedMethod.COMPLETE_STREAM.ask(
              gateway.channel(), "[[sim:status=500-empty;exit-after=200ms]]");
      assertEquals("UPSTREAM_ERROR", told.assertFullyExplained().reason());
      assertTrue(told.retryMillis().isEmpty(), "a prompt that kills engines");
      gateway.awaitHealth(NOT_SERVING);
    }
  }

  /** U15. */
  @Test
  void refusedKeyTurnsHealthAtOnce() {
    Map<String, String> settings = Map.of("health.interval", "100ms", "health.failures", "1000000");
    try (LoneGateway gateway = gateway(settings).ready()) {
      simulator.setFault("models-status=401");
      gateway.awaitHealth(NOT_SERVING);
      simulator.setFault(null);
      gateway.awaitHealth(SERVING);
    }
  }

  /** U18. */
  @Test
  void startingBackendIsNotReady() {
    simulator.setFault("models-status=503-starting");
    try (LoneGateway gateway = gateway(QUICK_PROBES)) {
      Eventually.within(SOON).assertThat("probes come", () -> countProbes() > 3);
      assertEquals(NOT_SERVING, gateway.health(""));
      simulator.setFault(null);
      gateway.awaitHealth(SERVING);
    }
  }

  /** U24. */
  @Test
  void slowHealthOnceOrTwiceChangesNothing() {
    Map<String, String> settings =
        Map.of(
            "health.interval", "50ms", "health.timeout", "250ms", "health.down-interval", "50ms");
    try (LoneGateway gateway = gateway(settings).ready()) {
      RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch = watch(gateway);
      watch.awaitMessages(1, SOON);
      long before = countHealth();
      simulator.setFault("slow-health=2s");
      Eventually.within(SOON).assertThat("two slow ones", () -> countHealth() >= before + 2);
      simulator.setFault(null);
      long then = countHealth();
      Eventually.within(SOON).assertThat("and quick ones", () -> countHealth() >= then + 4);
      assertEquals(1, watch.messages().size(), "never changed");
      watch.cancel();
    }
  }

  private long countHealth() {
    return simulator.requests().stream().filter(r -> r.path().equals("/health")).count();
  }

  private static RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch(
      LoneGateway gateway) {
    RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch = RecordingObserver.eager();
    HealthGrpc.newStub(gateway.channel())
        .watch(HealthCheckRequest.newBuilder().setService("readiness").build(), watch);
    return watch;
  }

  /** U47. */
  @Test
  void restartBreaksWhatRunsAndServesWhatComesLater() {
    try (LoneGateway gateway = gateway(QUICK_PROBES).ready()) {
      RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch = watch(gateway);
      watch.awaitMessages(1, SOON);
      List<RecordingObserver<CompleteRequest, TokenChunk>> running = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        running.add(stream(gateway, "[[sim:stall-after=3]] " + i));
      }
      running.forEach(call -> call.awaitMessages(3, SOON));
      simulator.stop();
      running.forEach(UpstreamLostTest::assertTruncatedAfterThree);
      gateway.awaitHealth(NOT_SERVING);
      simulator.start();
      long listening = System.nanoTime();
      Eventually.within(Duration.ofSeconds(2))
          .assertThat(
              "a call succeeds",
              () -> AskedMethod.GENERATE.ask(gateway.channel(), "later").code() == Status.Code.OK);
      assertTrue(System.nanoTime() - listening < Duration.ofSeconds(2).toNanos());
      gateway.awaitHealth(SERVING);
      for (int i = 0; i < 20; i++) {
        AskedMethod.COMPLETE_STREAM.ask(gateway.channel(), "after " + i).assertAnswered();
      }
      watch.awaitMessages(3, SOON);
      assertEquals(
          List.of(SERVING, NOT_SERVING, SERVING),
          watch.messages().stream().map(HealthCheckResponse::getStatus).toList(),
          "no flapping");
      long down = watch.arrivals().get(2) - watch.arrivals().get(1);
      assertTrue(down >= Duration.ofMillis(990).toNanos(), "no state shorter than a second");
      watch.cancel();
      gateway.awaitQuiet();
    }
  }

  private static RecordingObserver<CompleteRequest, TokenChunk> stream(
      LoneGateway gateway, String prompt) {
    RecordingObserver<CompleteRequest, TokenChunk> call = RecordingObserver.eager();
    LLMServiceGrpc.newStub(gateway.channel()).completeStream(AskedMethod.complete(prompt), call);
    return call;
  }

  private static void assertTruncatedAfterThree(
      RecordingObserver<CompleteRequest, TokenChunk> call) {
    assertEquals(Status.Code.UNAVAILABLE, call.awaitEnd(SOON).getCode());
    ErrorDetails details = ErrorDetails.of(call.trailers());
    assertEquals("UPSTREAM_TRUNCATED", details.reason());
    assertEquals("3", details.errorInfo().orElseThrow().getMetadataOrThrow("tokens_sent"));
    assertEquals("-1", details.pushback());
  }

  /** L1. */
  @Test
  void gatewayStartsBeforeItsBackend() {
    int port = simulator.port();
    simulator.stop();
    try (LoneGateway gateway = LoneGateway.before(port, QUICK_PROBES)) {
      assertEquals(NOT_SERVING, gateway.health(""));
      assertEquals(SERVING, gateway.health("liveness"));
      Told told = AskedMethod.GENERATE_STREAM.ask(gateway.channel(), "early");
      assertEquals(Status.Code.UNAVAILABLE, told.code());
      assertEquals(1_000L, told.retryMillis().orElseThrow());
      simulator.start();
      gateway.awaitHealth(SERVING);
    }
  }
}
