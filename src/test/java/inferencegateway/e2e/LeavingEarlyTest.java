package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.CANCEL;
import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.WHOLE;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.Gateway;
import inferencegateway.http.FullBacklog;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RawCall;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that leave before their call has reached the backend. There is one place only. */
class LeavingEarlyTest {

  private static Scene scene;

  private enum How {
    CANCEL,
    DEADLINE,
    CONNECTION_LOST;

    RawStream open(RawH2 h2, String path, String id) {
      RawCall call = Scene.named(h2, path, id);
      if (this == DEADLINE) {
        call.timeout("500m");
      }
      return call.open().message(ask("").build()).halfClose();
    }

    void happen(RawH2 h2, RawStream call) {
      switch (this) {
        case CANCEL -> call.reset(Scene.CANCEL);
        case CONNECTION_LOST -> h2.abort();
        case DEADLINE -> assertEquals(OptionalInt.of(4), end(call).status());
      }
    }

    private static RawStream end(RawStream call) {
      return call.awaitEnd(SOON);
    }

    String outcome() {
      return this == DEADLINE ? "client_deadline" : "client_cancel";
    }
  }

  @BeforeAll
  static void start() {
    scene = Scene.start(Map.of("admission.running", "1"));
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  @AfterEach
  void nothingIsLeft() {
    scene.assertAllIsWell();
  }

  @ParameterizedTest
  @EnumSource
  void queuedCallGivesItsPlaceInTheQueueUp(How how) {
    try (RawH2 first = scene.connect();
        RawH2 second = scene.connect()) {
      String running = Scene.newId();
      RawStream holder = Scene.open(first, STREAM, running, ask("stall-after=1"));
      holder.awaitMessages(1, SOON);
      String id = Scene.newId();
      RawStream queued = how.open(second, WHOLE, id);
      Eventually.within(SOON)
          .assertThat(
              "two calls",
              () -> scene.rig().gateway().runningCalls() == 2 || !scene.log().of(id).isEmpty());
      how.happen(second, queued);
      CallLog.Line line = scene.awaitLine(id);
      assertEquals(how.outcome(), line.outcome());
      assertEquals("queued", line.phase());
      assertEquals("0", line.get("attempts"));
      holder.reset(CANCEL);
      scene.rig().awaitQuiet();
      scene.assertNothingUpstream(id);
    }
  }

  private static void awaitRunning(int calls) {
    Eventually.within(SOON)
        .assertThat("calls running", () -> scene.rig().gateway().runningCalls() == calls);
  }

  @Test
  void queuedCallRunsOnceThePlaceIsFree() {
    try (RawH2 h2 = scene.connect()) {
      RawStream holder = Scene.open(h2, STREAM, Scene.newId(), ask("stall-after=1"));
      holder.awaitMessages(1, SOON);
      String id = Scene.newId();
      RawStream queued = Scene.open(h2, STREAM, id, ask(""));
      awaitRunning(2);
      scene.assertNothingUpstream(id);
      holder.reset(CANCEL);
      assertEquals(OptionalInt.of(0), queued.awaitEnd(SOON).status());
    }
  }

  /** The kernel answers no SYN; the socket must be gone before it would. */
  @ParameterizedTest
  @EnumSource
  void connectingCallClosesItsSocket(How how) throws IOException {
    try (FullBacklog backend = FullBacklog.openOrSkip()) {
      Gateway gateway =
          Rig.gateway(
              "http://127.0.0.1:" + backend.port() + "/v1",
              Map.of("connect-timeout", "30s", "health.interval", "1h", "health.timeout", "100ms"));
      try (RawH2 h2 = RawH2.connect(gateway.port())) {
        String id = Scene.newId();
        int before = connecting(backend.port());
        RawStream call = how.open(h2, STREAM, id);
        Eventually.within(SOON)
            .assertThat(
                "a call", () -> gateway.runningCalls() == 1 || !scene.log().of(id).isEmpty());
        how.happen(h2, call);
        long left = System.nanoTime();
        CallLog.Line line = scene.awaitLine(id);
        long took = System.nanoTime() - left;
        assertTrue(took < 1_000_000_000, "took " + took + " ns");
        assertEquals(how.outcome(), line.outcome());
        assertEquals("connect", line.phase());
        Eventually.within(Duration.ofSeconds(1))
            .assertThat("no socket", () -> connecting(backend.port()) <= before);
        assertEquals(0, gateway.runningCalls());
      } finally {
        gateway.close();
      }
    }
  }

  /** Sockets in SYN_SENT to that port; 0 where the system does not tell. */
  private static int connecting(int port) {
    Path table = Path.of("/proc/net/tcp");
    String to = String.format(Locale.ROOT, "0100007F:%04X", port);
    try {
      return Files.isReadable(table)
          ? (int)
              Files.readAllLines(table).stream()
                  .map(line -> line.trim().split("\\s+"))
                  .filter(row -> row.length > 3 && row[2].equals(to) && row[3].equals("02"))
                  .count()
          : 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1n", "0S"})
  void deadlineThatHasPassedCostsNoWork(String timeout) {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream call =
          Scene.named(h2, STREAM, id).timeout(timeout).open().message(ask("").build()).halfClose();
      assertEquals(OptionalInt.of(CANCEL), call.awaitEnd(SOON).resetCode());
      scene.rig().awaitQuiet();
      scene.assertNothingUpstream(id);
      assertTrue(scene.log().of(id).size() <= 1, "the handler may or may not have run");
    }
  }

  @Test
  void requestThatIsNeverCompletedWaitsForTheDeadlineWithoutAPlace() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream open = Scene.named(h2, STREAM, id).timeout("300m").open().message(ask("").build());
      awaitRunning(1);
      assertEquals(
          OptionalInt.of(0),
          Scene.open(h2, STREAM, Scene.newId(), ask("")).awaitEnd(SOON).status());
      assertEquals(OptionalInt.of(4), open.awaitEnd(SOON).status());
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("client_deadline", line.outcome());
      assertEquals("CLIENT_DEADLINE", line.reason());
      assertEquals("admission", line.phase());
      scene.assertNothingUpstream(id);
    }
  }

  @Test
  void cancelBeforeTheRequestIsCompleteIsACancelInAdmission() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream open = Scene.named(h2, WHOLE, id).open().message(ask("").build());
      awaitRunning(1);
      open.reset(CANCEL);
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("client_cancel", line.outcome());
      assertEquals("admission", line.phase());
    }
  }

  @Test
  void twoRequestMessagesAreRefused() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream call =
          Scene.named(h2, WHOLE, id)
              .open()
              .message(ask("").build())
              .message(ask("").build())
              .halfClose();
      assertTrue(call.awaitEnd(SOON).isTrailersOnly());
      assertEquals("REQUEST_COUNT", scene.awaitLine(id).reason());
      scene.assertNothingUpstream(id);
    }
  }

  @Test
  void noRequestMessageIsRefused() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream call = Scene.named(h2, WHOLE, id).openAndHalfClose().awaitEnd(SOON);
      assertTrue(call.isTrailersOnly());
      assertEquals("REQUEST_COUNT", scene.awaitLine(id).reason());
      scene.assertNothingUpstream(id);
    }
  }
}
