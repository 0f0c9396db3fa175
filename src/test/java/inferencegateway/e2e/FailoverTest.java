package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to calls when backends fail: who is asked next, and who is not. */
class FailoverTest {

  private static final String MODEL = Scene.MODEL;

  /** Probes are slow here: only calls tell that something is wrong. */
  private static final Map<String, String> SLOW_PROBES =
      Map.of("health.interval", "60s", "health.down-interval", "60s");

  private static final String PREFER_B0 =
      "models:\n"
          + "  m:\n"
          + "    targets:\n"
          + "      - {backends: [b0], model: simulated-model, weight: 1}\n"
          + "      - {backends: [b1], model: simulated-model, weight: 0}\n";

  private static StatusRuntimeException failure(Fleet.Caller caller, String model) {
    return assertThrows(StatusRuntimeException.class, () -> caller.complete(model));
  }

  private static String reason(StatusRuntimeException failure) {
    return ErrorDetails.of(failure).reason();
  }

  @Test
  void aBackendThatTakesNoConnectionIsPassedOver() {
    try (Fleet fleet = Fleet.of(2, PREFER_B0, SLOW_PROBES)) {
      fleet.proxy(0).refuse();
      fleet.proxy(0).closeAll();
      assertFalse(fleet.named("passed").complete("m").getText().isEmpty());
      assertEquals("b1", fleet.line("passed").get("backend"));
      assertEquals(0, fleet.chats(0).size());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"status=503-starting", "status=503-queue", "status=429"})
  void aBackendThatCannotNowIsPassedOver(String fault) {
    try (Fleet fleet = Fleet.of(2, PREFER_B0, SLOW_PROBES)) {
      fleet.simulator(0).setFault(fault);
      assertEquals(21, fleet.named("passed").stream("m").size());
      CallLog.Line line = fleet.line("passed");
      assertEquals("b1", line.get("backend"));
      assertEquals("2", line.get("attempts"));
      assertEquals(1, fleet.chats(0).size());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reset-before-response",
        "close-before-response",
        "drop-after-headers",
        "drop-after=3",
        "status=500",
        "error-event-after=0",
        "status=400"
      })
  void aRequestThatMayHaveBeenWorkedOnIsNotSentAgain(String fault) {
    try (Fleet fleet = Fleet.of(2, PREFER_B0, SLOW_PROBES)) {
      fleet.simulator(0).setFault(fault);
      assertThrows(StatusRuntimeException.class, () -> fleet.caller().stream("m"));
      assertEquals(1, fleet.chats(0).size());
      assertEquals(0, fleet.chats(1).size());
    }
  }

  @Test
  void retriesAreAFifthOfTheCallsAtMost() {
    try (Fleet fleet = Fleet.of(2, "", SLOW_PROBES)) {
      fleet.simulator(0).setFault("status=429");
      fleet.simulator(1).setFault("status=429");
      Fleet.Caller caller = fleet.caller();
      for (int i = 0; i < 100; i++) {
        assertEquals("UPSTREAM_RATE_LIMIT", reason(failure(caller, MODEL)));
      }
      assertTrue(fleet.allChats() <= 120, "sent for 100 calls: " + fleet.allChats());
      assertTrue(fleet.allChats() > 100, "retries there are");
    }
  }

  @Test
  void aBackendWhoseCallsFailIsPutAsideAndTriedAgainLater() {
    try (Fleet fleet = Fleet.of(2, PREFER_B0, Map.of())) {
      fleet.simulator(0).setFault("reset-before-response");
      Fleet.Caller caller = fleet.caller();
      for (int i = 0; i < 5; i++) {
        failure(caller, "m");
      }
      for (int i = 0; i < 10; i++) {
        caller.complete("m");
      }
      assertEquals(5, fleet.chats(0).size());
      fleet.simulator(0).setFault(null);
      Eventually.within(Fleet.SOON)
          .assertThat(
              "it is tried again",
              () -> {
                caller.complete("m");
                return fleet.chats(0).size() > 5;
              });
    }
  }

  @Test
  void aBusyBackendIsNotPutAside() {
    try (Fleet fleet = Fleet.of(2, PREFER_B0, SLOW_PROBES)) {
      fleet.simulator(0).setFault("status=503-queue");
      Fleet.Caller caller = fleet.caller();
      for (int i = 0; i < 20; i++) {
        try {
          caller.complete("m");
        } catch (StatusRuntimeException busy) {
          assertEquals("UPSTREAM_QUEUE_FULL", reason(busy));
        }
      }
      assertEquals(20, fleet.chats(0).size());
    }
  }

  @Test
  void oneBackendAloneIsNeverLockedOut() {
    try (Fleet fleet = Fleet.of(1, "", SLOW_PROBES)) {
      fleet.simulator(0).setFault("reset-before-response");
      Fleet.Caller caller = fleet.caller();
      for (int i = 0; i < 20; i++) {
        failure(caller, MODEL);
      }
      assertEquals(20, fleet.chats(0).size());
      fleet.simulator(0).setFault(null);
      assertFalse(caller.complete(MODEL).getText().isEmpty());
    }
  }

  // --- fallback ---

  private static final String FALLBACK =
      "models:\n"
          + "  big: {targets: [{backends: [b0], model: simulated-model}], fallback: [middle]}\n"
          + "  middle: {targets: [{backends: [b1], model: simulated-model}], fallback: [small]}\n"
          + "  small: {targets: [{backends: [b2], model: simulated-model}]}\n";

  @Test
  void anotherModelAnswersAndTheAnswerSaysSo() {
    try (Fleet fleet = Fleet.of(3, FALLBACK, SLOW_PROBES)) {
      Fleet.Caller caller = fleet.caller();
      caller.stream("big");
      assertEquals("", caller.header("x-gateway-fallback"));
      fleet.simulator(0).setFault("status=503-starting");
      caller.stream("big");
      assertEquals("middle", caller.header("x-gateway-model"));
      assertEquals("true", caller.header("x-gateway-fallback"));
      fleet.simulator(1).setFault("status=429");
      caller.complete("big");
      assertEquals("small", caller.header("x-gateway-model"));
    }
  }

  @Test
  void allOfAModelsBackendsMayDieAtOnceWhereAnotherModelAnswers() throws Exception {
    String routes =
        "models:\n"
            + "  big: {targets: [{backends: [b0, b1, b2], model: simulated-model}], fallback: [small]}\n"
            + "  small: {targets: [{backends: [b3], model: simulated-model}]}\n";
    ExecutorService threads = Executors.newFixedThreadPool(60);
    try (Fleet fleet = Fleet.of(4, routes, SLOW_PROBES)) {
      for (int i = 0; i < 3; i++) {
        fleet.proxy(i).refuse();
        fleet.proxy(i).closeAll();
      }
      List<Callable<String>> calls =
          Collections.nCopies(60, () -> fleet.caller().complete("big").getText());
      for (Future<String> answer : threads.invokeAll(calls)) {
        assertFalse(answer.get().isEmpty());
      }
      assertEquals(60, fleet.chats(3).size());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void twoModelsStandInForEachOther() {
    String routes =
        "models:\n"
            + "  x: {targets: [{backends: [b0], model: simulated-model}], fallback: [y]}\n"
            + "  y: {targets: [{backends: [b1], model: simulated-model}], fallback: [x]}\n";
    try (Fleet fleet = Fleet.of(2, routes, SLOW_PROBES)) {
      fleet.simulator(0).setFault("status=429");
      Fleet.Caller caller = fleet.caller();
      caller.complete("x");
      assertEquals("y", caller.header("x-gateway-model"));
      fleet.simulator(1).setFault("status=429");
      assertEquals("UPSTREAM_RATE_LIMIT", reason(failure(caller, "x")));
      assertEquals(4, fleet.allChats(), "each model once a call");
    }
  }

  @Test
  void aCallersOwnFaultIsNobodyElsesBusiness() {
    try (Fleet fleet = Fleet.of(3, FALLBACK, SLOW_PROBES)) {
      fleet.simulator(0).setFault("context-length");
      Fleet.Caller caller = fleet.caller();
      assertEquals("CONTEXT_LENGTH", reason(failure(caller, "big")));
      assertEquals(0, fleet.chats(1).size());
      assertNull(caller.told.headers(), "failures stay Trailers-Only");
    }
  }

  @Test
  void aModelWithoutAFirstTokenInTimeIsReplaced() {
    try (Fleet fleet =
        Fleet.of(3, FALLBACK, Map.of("first-token-timeout", "300ms", "health.interval", "60s"))) {
      fleet.simulator(0).setFault("stall-after=0");
      Fleet.Caller caller = fleet.caller();
      assertEquals(21, caller.stream("big").size());
      assertEquals("middle", caller.header("x-gateway-model"));
      Eventually.within(Fleet.SOON)
          .assertThat("the first is left", () -> fleet.simulator(0).counters().running() == 0);
    }
  }

  @Test
  void aModelWhoseBackendsAreDownIsNotEvenTried() {
    try (Fleet fleet = Fleet.of(3, FALLBACK)) {
      fleet.simulator(0).setHealthy(false);
      Eventually.within(Fleet.SOON)
          .assertThat(
              "the first is down",
              () -> {
                Fleet.Caller caller = fleet.caller();
                caller.complete("big");
                return caller.header("x-gateway-model").equals("middle");
              });
      int before = fleet.chats(0).size();
      fleet.caller().complete("big");
      assertEquals(before, fleet.chats(0).size());
    }
  }

  @Test
  void aFullModelIsReplaced() {
    try (Fleet fleet =
        Fleet.of(
            3,
            sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(100)),
            FALLBACK,
            Map.of("admission.running", "1", "admission.waiting", "0"))) {
      var held = fleet.caller().open("big");
      held.next();
      Fleet.Caller caller = fleet.caller();
      caller.complete("big");
      assertEquals("middle", caller.header("x-gateway-model"));
      held.forEachRemaining(chunk -> {});
    }
  }

  @Test
  void whenAllAreDownTheCallerIsToldByAStatusThatMayBeRetried() {
    try (Fleet fleet = Fleet.of(2, "", SLOW_PROBES)) {
      for (int i = 0; i < 2; i++) {
        fleet.proxy(i).refuse();
        fleet.proxy(i).closeAll();
      }
      StatusRuntimeException failed = failure(fleet.caller(), MODEL);
      assertEquals(Status.Code.UNAVAILABLE, failed.getStatus().getCode());
      assertEquals("UPSTREAM_CONNECT", reason(failed));
    }
  }
}
