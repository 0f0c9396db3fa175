package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where calls go when there are several backends, all of them well. */
class SeveralBackendsTest {

  private static final String MODEL = Scene.MODEL;

  @Test
  void workIsSpreadByWhatIsUnderWay() {
    try (Fleet fleet =
        Fleet.of(
            3, sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(50)), "", Map.of())) {
      List<Iterator<TokenChunk>> open = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        Iterator<TokenChunk> stream = fleet.caller().open(MODEL);
        stream.next();
        open.add(stream);
      }
      for (int i = 0; i < 3; i++) {
        assertEquals(3, fleet.chats(i).size(), "of backend " + i);
      }
      open.forEach(stream -> stream.forEachRemaining(chunk -> {}));
    }
  }

  @Test
  void anAliasIsSentUnderTheBackendsOwnName() {
    String models =
        "models: {fast: {targets: [{backends: [b0], model: simulated-model}], aliases: [quick]}}\n";
    try (Fleet fleet = Fleet.of(2, models)) {
      String answered = fleet.caller().complete("quick").getModel();
      assertEquals("simulated-model", answered);
      assertEquals(1, fleet.chats(0).size());
      assertTrue(fleet.chats(0).get(0).body().contains("\"model\":\"simulated-model\""));
      assertEquals(0, fleet.chats(1).size());
      // The only model there is answers those who name none.
      assertFalse(fleet.caller().complete("").getText().isEmpty());
      assertEquals(2, fleet.chats(0).size());
    }
  }

  @Test
  void aCanaryGetsItsShareAndACallThatIsTriedAgainStaysOnItsSide() {
    String models =
        "models: {m: {targets: [{backends: [b0], model: simulated-model, weight: 80},"
            + " {backends: [b1], model: simulated-model, weight: 20}]}}\n";
    try (Fleet fleet = Fleet.of(2, models)) {
      for (int i = 0; i < 100; i++) {
        fleet.named("canary-" + i).complete("m");
      }
      int canaries = fleet.chats(1).size();
      assertTrue(canaries >= 8 && canaries <= 35, "of 100 went to the canary: " + canaries);
      for (int i = 0; i < 20; i++) {
        fleet.named("canary-" + i).complete("m");
        assertEquals(1, new HashSet<>(backendsOf(fleet, "canary-" + i)).size());
      }
    }
  }

  private static List<String> backendsOf(Fleet fleet, String id) {
    Eventually.within(Fleet.SOON).assertThat("two lines", () -> fleet.log().of(id).size() == 2);
    return fleet.log().of(id).stream().map(line -> line.get("backend")).toList();
  }

  @Test
  void aSessionStaysAndMovesOnlyWhenItsBackendIsGone() {
    try (Fleet fleet = Fleet.of(3)) {
      List<String> before = homes(fleet, "a");
      assertEquals(before, homes(fleet, "b"));
      assertTrue(Set.copyOf(before).size() > 1, "sessions spread: " + before);
      fleet.proxy(1).refuse();
      fleet.proxy(1).closeAll();
      List<String> after = homes(fleet, "c");
      for (int i = 0; i < before.size(); i++) {
        if (!before.get(i).equals("b1")) {
          assertEquals(before.get(i), after.get(i), "session " + i + " did not have to move");
        }
      }
      assertFalse(after.contains("b1"));
    }
  }

  private static List<String> homes(Fleet fleet, String round) {
    List<String> homes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String id = "session-" + round + i;
      fleet.caller(Map.of("x-session-id", "s" + i, "x-request-id", id)).complete(MODEL);
      homes.add(fleet.line(id).get("backend"));
    }
    return homes;
  }

  @Test
  void aModelThatNobodyListsIsRefusedHere() {
    try (Fleet fleet = Fleet.of(2)) {
      awaitLists(fleet);
      StatusRuntimeException refused =
          assertThrows(StatusRuntimeException.class, () -> fleet.caller().complete("no-such"));
      assertEquals(Status.Code.NOT_FOUND, refused.getStatus().getCode());
      assertEquals("MODEL_NOT_FOUND", ErrorDetails.of(refused).reason());
      assertEquals(0, fleet.allChats());
    }
  }

  /** Readiness needs one backend; a refusal here needs the lists of all. */
  private static void awaitLists(Fleet fleet) {
    for (int i = 0; i < 2; i++) {
      int backend = i;
      Eventually.within(Fleet.SOON)
          .assertThat(
              "two probes of backend " + i,
              () ->
                  fleet.simulator(backend).requests().stream()
                          .filter(request -> request.path().endsWith("/models"))
                          .count()
                      > 1);
    }
  }

  @Test
  void aModelThatOnlyOneListsGoesThere() {
    try (Fleet fleet = Fleet.of(2)) {
      fleet.caller().complete("qwen2.5-coder:32b");
      List<RecordedRequest> all = new ArrayList<>(fleet.chats(0));
      all.addAll(fleet.chats(1));
      assertEquals(1, all.size());
      assertTrue(all.get(0).body().contains("qwen2.5-coder:32b"));
    }
  }
}
