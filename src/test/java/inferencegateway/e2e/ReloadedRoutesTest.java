package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The routing file changes while the gateway runs. */
class ReloadedRoutesTest {

  private static final String MODEL = Scene.MODEL;

  private static String to(String backend) {
    return "models: {m: {targets: [{backends: [" + backend + "], model: simulated-model}]}}\n";
  }

  private static Fleet slow(String models) {
    return Fleet.of(
        2, sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(60)), models, Map.of());
  }

  private static void awaitRouted(Fleet fleet, int backend) {
    Eventually.within(Fleet.SOON)
        .assertThat(
            "calls go to backend " + backend,
            () -> {
              int before = fleet.chats(backend).size();
              Iterator<TokenChunk> stream = fleet.caller().open("m");
              stream.next();
              boolean there = fleet.chats(backend).size() > before;
              stream.forEachRemaining(chunk -> {});
              return there;
            });
  }

  @Test
  void newCallsGoElsewhereAndRunningOnesEndWhereTheyBegan() {
    try (Fleet fleet = slow(to("b0"))) {
      Iterator<TokenChunk> running = fleet.named("runs").open("m");
      running.next();
      fleet.routes(List.of(1), to("b1"));
      awaitRouted(fleet, 1);
      assertEquals(0, fleet.simulator(0).counters().aborted());
      running.forEachRemaining(chunk -> {});
      assertEquals("ok", fleet.line("runs").outcome());
      assertEquals("b0", fleet.line("runs").get("backend"));
      Eventually.within(Fleet.SOON)
          .assertThat(
              "nothing is left open to the backend that is gone",
              () -> fleet.proxy(0).openConnections() == 0);
    }
  }

  @Test
  void aFileThatIsWrongChangesNothing() {
    try (Fleet fleet = slow(to("b0"))) {
      fleet.write(
          "backends: [{name: b1, url: \"http://127.0.0.1:"
              + fleet.proxy(1).port()
              + "/v1\"}]\nmodels: {m: {targets: [{backends: [b9]}]}}\n");
      fleet.gateway().reload();
      for (int i = 0; i < 5; i++) {
        assertFalse(fleet.caller().complete("m").getText().isEmpty());
      }
      assertEquals(5, fleet.chats(0).size());
      fleet.routes(to("b1"));
      awaitRouted(fleet, 1);
    }
  }

  @Test
  void aBackendThatStaysKeepsItsConnections() {
    try (Fleet fleet = Fleet.of(2, to("b0"), Map.of("upstream.idle", "60s"))) {
      fleet.named("before").complete("m");
      fleet.routes(List.of(0), to("b0"));
      Eventually.within(Fleet.SOON)
          .assertThat("the probes of the other end", () -> fleet.proxy(1).openConnections() == 0);
      Fleet.Caller caller = fleet.caller(Map.of("x-request-id", "after"));
      caller.complete("m");
      // Another loop may have taken the second call: by then each has had its own connection.
      assertTrue(fleet.chats(0).size() == 2);
      assertEquals("b0", fleet.line("after").get("backend"));
    }
  }

  @Test
  void anotherKeyInTheSameFileIsSentFromThenOn(@TempDir Path folder) throws IOException {
    Path key = Files.writeString(folder.resolve("key"), "old-key");
    try (Fleet fleet = slow(to("b0"))) {
      fleet.write(
          "backends: [{name: b0, url: \"http://127.0.0.1:%d/v1\", api-key-file: %s}]\n"
                  .formatted(fleet.proxy(0).port(), key)
              + to("b0"));
      awaitKey(fleet, "old-key");
      Files.writeString(key, "new-key");
      awaitKey(fleet, "new-key");
    }
  }

  private static void awaitKey(Fleet fleet, String key) {
    Eventually.within(Fleet.SOON)
        .assertThat(
            key,
            () -> {
              fleet.caller().complete("m");
              List<RecordedRequest> chats = fleet.chats(0);
              String sent = chats.get(chats.size() - 1).headers().get("authorization");
              return ("Bearer " + key).equals(sent);
            });
  }

  @Test
  void aBackendThatIsAddedIsUsed() {
    try (Fleet fleet = Fleet.of(2)) {
      fleet.routes(List.of(0), "");
      Eventually.within(Fleet.SOON)
          .assertThat("one is gone", () -> fleet.proxy(1).openConnections() == 0);
      int before = fleet.chats(1).size();
      for (int i = 0; i < 4; i++) {
        fleet.caller().complete(MODEL);
      }
      assertEquals(before, fleet.chats(1).size());
      fleet.routes("");
      Eventually.within(Fleet.SOON)
          .assertThat(
              "it is back",
              () -> {
                fleet.caller().complete(MODEL);
                return fleet.chats(1).size() > before;
              });
    }
  }
}
