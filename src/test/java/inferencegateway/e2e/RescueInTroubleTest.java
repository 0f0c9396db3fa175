package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.Pace;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import inferencegateway.testing.RecordingObserver;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when the rescue of an answer goes wrong itself, or comes at a bad time. */
class RescueInTroubleTest {

  private static final UnaryOperator<SimulatorConfig> FLAT_OUT =
      sim -> sim.withPace(Duration.ofMillis(5), Duration.ZERO);

  @Test
  void aSecondDeathIsTheEnd() {
    try (Fleet fleet = Rescued.fleet(3, sim -> sim, Rescued.SLOW_PROBES)) {
      fleet.simulator(0).setFault("drop-after=5");
      fleet.simulator(1).setFault("drop-after=3");
      Rescued broken = Rescued.of(fleet.named("twice"), Rescued.ask());
      assertEquals("UPSTREAM_TRUNCATED", broken.reason());
      assertEquals("8", broken.tokensSent());
      assertEquals(8, broken.chunks().size());
      assertEquals("-1", broken.details().pushback());
      assertEquals("1", broken.rescues());
      assertEquals("1", fleet.line("twice").get("rescued"));
      assertEquals(0, fleet.chats(2).size());
    }
  }

  /** As servers do that do not know how to go on. */
  @ParameterizedTest
  @ValueSource(
      strings = {"status=400", "status=500", "context-length", "reasoning=2", "drop-after=0"})
  void aRescueThatBringsNothingIsNotWhatTheCallerIsToldOf(String fault) {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      fleet.simulator(1).setFault(fault);
      Rescued broken = Rescued.of(fleet.named("vain"), Rescued.ask());
      assertEquals("UPSTREAM_TRUNCATED", broken.reason());
      assertEquals(Status.Code.UNAVAILABLE, broken.end().getCode());
      assertEquals("5", broken.tokensSent());
      assertEquals("-1", broken.details().pushback());
      CallLog.Line line = fleet.line("vain");
      assertTrue(line.get("detail").contains("going on elsewhere failed"), line.toString());
      assertEquals("UPSTREAM_TRUNCATED", line.reason());
    }
  }

  @Test
  void aRescuePassesOverABackendThatTakesNoConnection() {
    try (Fleet fleet = Rescued.fleet(3, sim -> sim, Rescued.SLOW_PROBES)) {
      Rescued unbroken = Rescued.of(fleet);
      fleet.simulator(0).setFault("drop-after=5");
      fleet.proxy(1).refuse();
      fleet.proxy(1).closeAll();
      Rescued.of(fleet).assertSameAs(unbroken);
      assertEquals(1, fleet.chats(2).size());
    }
  }

  @Test
  void noOtherBackendThatIsUpMeansNoRescue() {
    try (Fleet fleet = Rescued.fleet(2, sim -> sim, Map.of())) {
      fleet.simulator(1).setHealthy(false);
      Eventually.within(Fleet.SOON).assertThat("b1 is down", () -> isLastDown(fleet));
      fleet.simulator(0).setFault("drop-after=5");
      Rescued broken = Rescued.of(fleet);
      assertEquals("UPSTREAM_TRUNCATED", broken.reason());
      assertEquals("", broken.rescues());
      assertEquals(0, fleet.chats(1).size());
    }
  }

  private static boolean isLastDown(Fleet fleet) {
    return HealthGrpc.newBlockingStub(fleet.callers().channel())
            .check(HealthCheckRequest.newBuilder().setService("model/last").build())
            .getStatus()
        == ServingStatus.NOT_SERVING;
  }

  @Test
  void aFullQueueMeansNoRescue() {
    try (Fleet fleet =
        Rescued.fleet(
            2,
            sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(20)),
            Rescued.and(Map.of("admission.running", "1", "admission.waiting", "0")))) {
      fleet.simulator(0).setFault("drop-after=10");
      fleet.simulator(1).setFault("stall-after=1");
      RecordingObserver<CompleteRequest, TokenChunk> broken = open(fleet, Rescued.ask());
      broken.awaitMessages(1, Fleet.SOON);
      RecordingObserver<CompleteRequest, TokenChunk> other = open(fleet, Rescued.ask());
      other.awaitMessages(1, Fleet.SOON);
      assertEquals(Status.Code.UNAVAILABLE, broken.awaitEnd(Fleet.SOON).getCode());
      assertEquals(10, broken.messages().size());
      other.cancel();
    }
  }

  private static RecordingObserver<CompleteRequest, TokenChunk> open(
      Fleet fleet, CompleteRequest.Builder ask) {
    RecordingObserver<CompleteRequest, TokenChunk> observer = RecordingObserver.eager();
    LLMServiceGrpc.newStub(fleet.callers().channel()).completeStream(ask.build(), observer);
    return observer;
  }

  private static String text(RecordingObserver<CompleteRequest, TokenChunk> call) {
    StringBuilder text = new StringBuilder();
    call.messages().forEach(chunk -> text.append(chunk.getToken()));
    return text.toString();
  }

  // --- who stops it ---

  @Test
  void cancelDuringTheRescueReachesTheSecondBackend() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      fleet.simulator(1).setFault("stall-after=0");
      RecordingObserver<CompleteRequest, TokenChunk> call = open(fleet, Rescued.ask());
      awaitRest(fleet);
      call.cancel();
      awaitAborted(fleet);
    }
  }

  @Test
  void deadlineDuringTheRescueReachesTheSecondBackend() {
    try (Fleet fleet = Rescued.fleet()) {
      fleet.simulator(0).setFault("drop-after=5");
      fleet.simulator(1).setFault("stall-after=2");
      RecordingObserver<CompleteRequest, TokenChunk> call = RecordingObserver.eager();
      LLMServiceGrpc.newStub(fleet.callers().channel())
          .withDeadlineAfter(800, TimeUnit.MILLISECONDS)
          .completeStream(Rescued.ask().build(), call);
      assertEquals(Status.Code.DEADLINE_EXCEEDED, call.awaitEnd(Fleet.SOON).getCode());
      assertEquals(7, call.messages().size());
      awaitAborted(fleet);
    }
  }

  private static RecordedRequest awaitRest(Fleet fleet) {
    Eventually.within(Fleet.SOON).assertThat("a rescue", () -> !fleet.chats(1).isEmpty());
    return fleet.chats(1).get(0);
  }

  private static void awaitAborted(Fleet fleet) {
    Eventually.within(Fleet.SOON)
        .assertThat("the second is left", () -> awaitRest(fleet).disconnect().isPresent());
    Eventually.within(Fleet.SOON)
        .assertThat("no call is left", () -> fleet.simulator(1).counters().running() == 0);
  }

  @Test
  void theFirstTokenLimitHoldsAnew() {
    try (Fleet fleet =
        Rescued.fleet(2, sim -> sim, Rescued.and(Map.of("first-token-timeout", "400ms")))) {
      fleet.simulator(0).setFault("drop-after=5");
      fleet.simulator(1).setFault("stall-after=0");
      Rescued broken = Rescued.of(fleet.named("late"), Rescued.ask());
      assertEquals("UPSTREAM_TRUNCATED", broken.reason());
      assertTrue(fleet.line("late").get("detail").contains("FIRST_TOKEN_TIMEOUT"));
      awaitAborted(fleet);
    }
  }

  // --- bad times ---

  @Test
  void silenceIsNoDeath() {
    try (Fleet fleet = Rescued.fleet(2, sim -> sim, Rescued.and(Map.of("gap-timeout", "400ms")))) {
      fleet.simulator(0).setFault("stall-after=5");
      assertEquals("INTER_TOKEN_TIMEOUT", Rescued.of(fleet).reason());
      assertEquals(0, fleet.chats(1).size());
    }
  }

  /** A machine without power sends no reset: only its probes tell. */
  @Test
  void silenceOfABackendThatIsFoundDeadIsOne() {
    Map<String, String> settings =
        Map.of("gap-timeout", "2s", "health.timeout", "200ms", "health.failures", "2");
    try (Fleet fleet =
        Rescued.fleet(
            2, sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(20)), settings)) {
      Rescued unbroken = Rescued.of(fleet);
      RecordingObserver<CompleteRequest, TokenChunk> call = open(fleet, Rescued.ask());
      call.awaitMessages(3, Fleet.SOON);
      fleet.proxy(0).freeze();
      assertTrue(call.awaitEnd(Fleet.SOON).isOk());
      assertEquals(unbroken.text(), text(call));
      fleet.proxy(0).thaw();
    }
  }

  @Test
  void aWedgedEngineIsDeadToo() {
    try (Fleet fleet =
        Rescued.fleet(
            2,
            sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(20)),
            Rescued.and(Map.of("stall-watchdog", "500ms")))) {
      Rescued unbroken = Rescued.of(fleet);
      RecordingObserver<CompleteRequest, TokenChunk> call = open(fleet, Rescued.ask());
      call.awaitMessages(3, Fleet.SOON);
      fleet.simulator(0).wedge(true);
      assertTrue(call.awaitEnd(Fleet.SOON).isOk());
      assertEquals(unbroken.text(), text(call));
      fleet.simulator(0).wedge(false);
    }
  }

  /** What waits for the caller counts as said. */
  @ParameterizedTest
  @ValueSource(ints = {200, 6_000})
  void aSlowCallerLosesNothingAndHearsNothingTwice(int said) throws Exception {
    try (Fleet fleet = Rescued.fleet(2, FLAT_OUT, Rescued.SLOW_PROBES);
        RawH2 slow = RawH2.connect(fleet.gateway().port(), H2Behaviour.fixedWindow(0))) {
      CompleteRequest.Builder ask = Rescued.ask(12_000);
      Rescued unbroken = Rescued.of(fleet.caller(), ask);
      fleet.simulator(0).setFault("drop-after=" + said);
      RawStream call = Scene.open(slow, Scene.STREAM, "slow", ask);
      Eventually.within(Fleet.SOON)
          .assertThat("more than the transport takes", () -> written(fleet) > 4_000);
      try (Pace pace = call.grantAtPace(8_000, Duration.ofMillis(50))) {
        call.awaitEnd(Duration.ofSeconds(20));
      }
      assertEquals(OptionalInt.of(0), call.status());
      assertEquals(unbroken.text(), SeededText.of(call));
      assertEquals(1, fleet.chats(1).size());
      assertEquals("12000", fleet.line("slow").get("output_tokens"));
      assertTrue(Double.parseDouble(fleet.line("slow").get("backpressure_ms")) > 0);
    }
  }

  /** Of the second call, by both backends. */
  private static int written(Fleet fleet) {
    return fleet.chats(0).stream().skip(1).mapToInt(RecordedRequest::tokens).sum()
        + fleet.chats(1).stream().mapToInt(RecordedRequest::tokens).sum();
  }

  @Test
  void aCallerThatTakesNothingHoldsTheSecondBackendBackToo() {
    try (Fleet fleet = Rescued.fleet(2, FLAT_OUT, Rescued.and(Map.of("slow-caller-stall", "1s")));
        RawH2 slow = RawH2.connect(fleet.gateway().port(), H2Behaviour.fixedWindow(0))) {
      fleet.simulator(0).setFault("drop-after=200");
      RawStream call = Scene.open(slow, Scene.STREAM, "stuck", Rescued.ask(100_000));
      call.awaitEnd(Fleet.SOON);
      assertEquals(OptionalInt.of(Scene.CANCEL), call.resetCode());
      awaitAborted(fleet);
      assertTrue(awaitRest(fleet).tokens() < 90_000, "the second wrote everything");
      CallLog.Line line = fleet.line("stuck");
      assertEquals("slow_consumer", line.outcome());
      assertEquals("backpressure", line.phase());
    }
  }

  @Test
  void aKilledServersStreamsAllGoOn() {
    try (Fleet fleet =
        Rescued.fleet(
            2,
            sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(20)).withLoops(2),
            Map.of())) {
      CompleteRequest.Builder ask = Rescued.ask(60);
      Rescued unbroken = Rescued.of(fleet.caller(), ask);
      List<RecordingObserver<CompleteRequest, TokenChunk>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        calls.add(open(fleet, ask));
      }
      calls.forEach(call -> call.awaitMessages(5, Fleet.SOON));
      fleet.simulator(0).stop();
      for (RecordingObserver<CompleteRequest, TokenChunk> call : calls) {
        assertTrue(call.awaitEnd(Fleet.SOON).isOk(), () -> call.awaitEnd(Fleet.SOON).toString());
        assertEquals(unbroken.text(), text(call));
      }
      assertEquals(20, fleet.chats(1).size());
      assertFalse(fleet.chats(1).stream().anyMatch(chat -> !chat.continued()));
    }
  }
}
