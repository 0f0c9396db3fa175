package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import io.grpc.netty.shaded.io.netty.util.internal.PlatformDependent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A crowd that stops reading and comes back. */
class ManySlowCallersTest {

  private static final int CALLERS = 50;
  private static final int TOKENS = 20_000;

  @Test
  @Timeout(240)
  void manyCallersThatTakeNothingCostLittleMemoryAndLoseNothing() throws Exception {
    try (Scene scene = Scene.start(ManySlowCallersTest::flatOut, Map.of());
        RawH2 fast = scene.connect()) {
      String text = SeededText.expected(fast, TOKENS);
      assertFalse(text.isEmpty());
      long before = PlatformDependent.usedDirectMemory();
      List<RawH2> connections = new ArrayList<>();
      List<RawStream> calls = new ArrayList<>();
      try {
        for (int i = 0; i < CALLERS; i++) {
          RawH2 h2 = scene.connect(H2Behaviour.fixedWindow(0));
          connections.add(h2);
          calls.add(Scene.open(h2, STREAM, Scene.newId(), SeededText.ask(TOKENS)));
        }
        awaitStandstill(scene);
        assertEquals(CALLERS, scene.rig().gateway().runningCalls());
        long more = PlatformDependent.usedDirectMemory() - before;
        org.slf4j.LoggerFactory.getLogger(ManySlowCallersTest.class)
            .info("{} callers at zero window: {} KiB of direct memory more", CALLERS, more >> 10);
        assertTrue(more < 64 << 20, "direct memory grew by " + more);
        calls.forEach(call -> call.grant(10_000_000));
        for (RawStream call : calls) {
          assertEquals(OptionalInt.of(0), call.awaitEnd(Duration.ofSeconds(120)).status());
          assertEquals(text, SeededText.of(call));
        }
      } finally {
        connections.forEach(RawH2::close);
      }
      scene.assertAllIsWell();
    }
  }

  /**
   * It never closes an idle connection: Netty reads what the kernel still holds, paused or not,
   * once the peer has closed, and answers that are over at the backend would be over here too.
   */
  private static SimulatorConfig flatOut(SimulatorConfig sim) {
    return sim.withPace(Duration.ofMillis(5), Duration.ZERO)
        .withLoops(2)
        .withKeepAlive(Duration.ZERO);
  }

  /** Nothing is written any more, since nobody reads. */
  private static void awaitStandstill(Scene scene) {
    Eventually.within(SOON)
        .assertThat("all calls run", () -> scene.rig().gateway().runningCalls() == CALLERS);
    long[] last = {-1, System.nanoTime()};
    Eventually.within(Duration.ofSeconds(45))
        .assertThat(
            "a standstill",
            () -> {
              long tokens = scene.rig().simulator().counters().tokens();
              if (tokens != last[0]) {
                last[0] = tokens;
                last[1] = System.nanoTime();
              }
              return System.nanoTime() - last[1] > 300_000_000;
            });
  }
}
