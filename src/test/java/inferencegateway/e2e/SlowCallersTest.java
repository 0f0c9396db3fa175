package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.CANCEL;
import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.Pace;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Callers that take less than the backend writes, which here writes as fast as it can. */
class SlowCallersTest {

  private static final long STALL_NANOS = 1_500_000_000L;

  private static Scene scene;

  @BeforeAll
  static void start() {
    scene =
        Scene.start(
            sim -> sim.withPace(Duration.ofMillis(5), Duration.ZERO).withLoops(2),
            Map.of("slow-caller-stall", "1500ms"));
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  @AfterEach
  void nothingIsLeft() {
    scene.assertAllIsWell();
  }

  /** The answer is far larger than what the kernel holds between the two processes. */
  @Test
  void callerThatTakesNothingHoldsTheBackendBackAndIsThenReset() {
    try (RawH2 h2 = scene.connect(H2Behaviour.fixedWindow(0))) {
      String id = Scene.newId();
      int tokens = (48 << 20) / 16_384;
      long asked = System.nanoTime();
      RawStream call = Scene.open(h2, STREAM, id, ask("big-answer=" + (48 << 20)));
      call.awaitEnd(SOON);
      long took = System.nanoTime() - asked;
      assertEquals(OptionalInt.of(CANCEL), call.resetCode());
      assertEquals(0, call.dataBytes());
      int written = scene.awaitAborted(id).tokens();
      assertTrue(written < tokens, "the backend wrote everything: " + written);
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("slow_consumer", line.outcome());
      assertEquals("backpressure", line.phase());
      assertEquals("CANCELLED", line.get("code"));
      assertTrue(Double.parseDouble(line.get("backpressure_ms")) >= 1_490);
      assertTrue(Integer.parseInt(line.get("deltas")) <= 16, "read on while paused: " + line);
      assertTrue(took >= STALL_NANOS, "before its time: " + took);
    }
  }

  @Test
  void slowCallerGetsEverythingInOrderInFewerMessages() throws Exception {
    try (RawH2 fast = scene.connect();
        RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      String text = SeededText.expected(fast, 12_000);
      String id = Scene.newId();
      RawStream call = Scene.open(slow, STREAM, id, SeededText.ask(12_000));
      try (Pace pace = call.grantAtPace(1_600, Duration.ofMillis(100))) {
        call.awaitEnd(Duration.ofSeconds(40));
      }
      assertEquals(OptionalInt.of(0), call.status());
      assertEquals(text, SeededText.of(call));
      assertTrue(call.messages().size() < 10_000, call.messages().size() + " messages");
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("ok", line.outcome());
      assertEquals("12000", line.get("output_tokens"));
      assertTrue(Double.parseDouble(line.get("backpressure_ms")) > STALL_NANOS / 1e6);
      String next = Scene.newId();
      RawStream after = Scene.open(slow, STREAM, next, ask("")).grant(100_000).awaitEnd(SOON);
      assertEquals(OptionalInt.of(0), after.status());
      assertEquals(
          scene.awaitUpstream(id).connection(), scene.awaitUpstream(next).connection(), "reused");
    }
  }

  @Test
  void oneSlowCallerDoesNotHoldUpAnother() {
    try (RawH2 h2 = scene.connect(H2Behaviour.fixedWindow(0))) {
      RawStream slow = Scene.open(h2, STREAM, Scene.newId(), SeededText.ask(2_000));
      RawStream fast =
          Scene.open(h2, STREAM, Scene.newId(), SeededText.ask(200))
              .grant(1_000_000)
              .awaitEnd(SOON);
      assertEquals(OptionalInt.of(0), fast.status());
      assertFalse(slow.isEnded());
      slow.reset(CANCEL);
    }
  }
}
