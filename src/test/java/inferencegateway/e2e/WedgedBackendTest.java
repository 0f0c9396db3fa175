package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** An engine that stands still behind a server that says it is well. */
class WedgedBackendTest {

  private static final String MODEL = Scene.MODEL;
  private static final Map<String, String> WATCHED = Map.of("stall-watchdog", "1s");

  private static Fleet fleet(int size, Map<String, String> settings) {
    return Fleet.of(
        size, sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(30)), "", settings);
  }

  private static StatusRuntimeException broken(Iterator<TokenChunk> stream) {
    return Assertions.assertThrows(
        StatusRuntimeException.class, () -> stream.forEachRemaining(chunk -> {}));
  }

  @Test
  void readinessGoesAndComesBackWithATokenThoughNobodyCalls() {
    try (Fleet fleet = fleet(1, WATCHED)) {
      Iterator<TokenChunk> stream = fleet.caller().open(MODEL);
      stream.next();
      fleet.simulator(0).wedge(true);
      fleet.awaitHealth(ServingStatus.NOT_SERVING);
      StatusRuntimeException ended = broken(stream);
      assertEquals("INTER_TOKEN_TIMEOUT", ErrorDetails.of(ended).reason());
      fleet.simulator(0).wedge(false);
      fleet.awaitHealth(ServingStatus.SERVING);
      assertFalse(fleet.caller().complete(MODEL).getText().isEmpty());
    }
  }

  @Test
  void othersGetTheCallsOfAWedgedOne() {
    try (Fleet fleet = fleet(2, WATCHED)) {
      Iterator<TokenChunk> one = fleet.caller().open(MODEL);
      Iterator<TokenChunk> two = fleet.caller().open(MODEL);
      one.next();
      two.next();
      int before = fleet.chats(0).size();
      fleet.simulator(0).wedge(true);
      Eventually.within(Fleet.SOON)
          .assertThat("its stream is ended", () -> fleet.simulator(0).counters().aborted() > 0);
      assertEquals(ServingStatus.SERVING, fleet.health());
      for (int i = 0; i < 6; i++) {
        assertFalse(fleet.caller().complete(MODEL).getText().isEmpty());
      }
      // Beside what the gateway itself asks to find out whether it works again.
      assertEquals(
          before, fleet.chats(0).stream().filter(chat -> !chat.body().contains("ping")).count());
      fleet.simulator(0).wedge(false);
    }
  }

  @Test
  void aTimeLimitThatComesFirstHidesNothing() {
    try (Fleet fleet = fleet(1, Map.of("stall-watchdog", "1s", "gap-timeout", "1s"))) {
      Iterator<TokenChunk> stream = fleet.caller().open(MODEL);
      stream.next();
      fleet.simulator(0).wedge(true);
      broken(stream);
      fleet.awaitHealth(ServingStatus.NOT_SERVING);
      fleet.simulator(0).wedge(false);
      fleet.awaitHealth(ServingStatus.SERVING);
    }
  }

  @Test
  void callsThatEndInTimeAreNoStandstill() {
    try (Fleet fleet = fleet(1, Map.of("stall-watchdog", "400ms"))) {
      long end = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
      while (System.nanoTime() < end) {
        // Work that ends within the limit, one call after the other, unary and streamed.
        fleet.caller().complete(MODEL);
        assertEquals(21, fleet.caller().stream(MODEL).size());
        assertEquals(ServingStatus.SERVING, fleet.health());
      }
      assertTrue(fleet.chats(0).stream().noneMatch(chat -> chat.body().contains("ping")));
    }
  }
}
