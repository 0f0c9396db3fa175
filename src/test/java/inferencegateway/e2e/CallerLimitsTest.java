package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.STREAM;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.RecordedRequest;
import inferencegateway.testing.Frame;
import inferencegateway.testing.FrameType;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What one caller's connection may do, and that it costs nobody else anything. */
class CallerLimitsTest {

  private static final int STREAMS = 50;
  private static final int RESETS = 100;
  private static final int REFUSED_STREAM = 7;
  private static final int ENHANCE_YOUR_CALM = 11;

  private static Scene scene;

  @BeforeAll
  static void start() {
    scene =
        Scene.start(
            Map.of(
                "connection.max-streams",
                "" + STREAMS,
                "connection.max-resets",
                "" + RESETS,
                "keep-alive.time",
                "10s",
                "keep-alive.timeout",
                "1s"));
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  @AfterEach
  void nothingIsLeft() {
    scene.assertAllIsWell();
  }

  private static List<String> openStalled(RawH2 h2, int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = Scene.newId();
      ids.add(id);
      Scene.open(h2, STREAM, id, ask("stall-after=1")).awaitMessages(1, SOON);
    }
    return ids;
  }

  @Test
  void lostConnectionEndsAllItsStreams() {
    RawH2 h2 = scene.connect();
    List<String> ids = openStalled(h2, STREAMS);
    Latencies latencies = new Latencies("TCP reset to closed, " + STREAMS + " streams");
    long left = System.nanoTime();
    h2.abort();
    for (String id : ids) {
      latencies.add(scene.awaitAborted(id).disconnect().getAsLong() - left);
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("client_cancel", line.outcome());
      assertEquals("decode", line.phase());
    }
    latencies.assertPrompt();
  }

  @Test
  void streamAboveTheLimitIsRefusedAndTheOthersGoOn() {
    try (RawH2 h2 = scene.connect()) {
      h2.awaitFrame(f -> f.is(FrameType.SETTINGS) && !f.isAck(), SOON);
      List<String> ids = openStalled(h2, STREAMS);
      String id = Scene.newId();
      RawStream above = Scene.named(h2, STREAM, id).open().awaitEnd(SOON);
      assertEquals(OptionalInt.of(REFUSED_STREAM), above.resetCode());
      assertEquals(STREAMS, scene.rig().gateway().runningCalls());
      scene.assertNothingUpstream(id);
      assertTrue(scene.log().of(id).isEmpty());
      assertTrue(ids.stream().allMatch(running -> scene.log().of(running).isEmpty()));
    }
  }

  @Test
  void floodOfResetsEndsTheConnectionWithBoundedWorkUpstream() {
    try (RawH2 bystander = scene.connect();
        RawH2 flood = scene.connect()) {
      String other = Scene.newId();
      RawStream running = Scene.open(bystander, STREAM, other, ask("", 200));
      List<String> ids = new ArrayList<>();
      try {
        for (int i = 0; i < 1_000; i++) {
          String id = Scene.newId();
          ids.add(id);
          Scene.open(flood, STREAM, id, ask("stall-after=0")).reset(Scene.CANCEL);
        }
      } catch (UncheckedIOException | AssertionError closed) {
        // As it should be.
      }
      flood.awaitClosed(SOON);
      // The last words may be lost with what the server had not read.
      goAways(flood).forEach(last -> assertEquals(ENHANCE_YOUR_CALM, last.errorCode()));
      assertEquals(OptionalInt.of(0), running.awaitEnd(SOON).status());
      assertEquals(201, running.messages().size());
      scene.rig().awaitQuiet();
      long reached = ids.stream().filter(id -> !scene.upstream(id).isEmpty()).count();
      assertTrue(reached <= RESETS + 1, reached + " reached the backend");
      ids.forEach(id -> assertTrue(scene.log().of(id).size() <= 1, "ended twice"));
    }
  }

  @Test
  void callerThatPingsTooOftenIsSentAwayAndItsCallsEnd() {
    try (RawH2 h2 = scene.connect()) {
      String id = openStalled(h2, 1).get(0);
      // One by one: a connection that is closed with unread pings would take its last words along.
      for (int i = 0; i < 10 && goAways(h2).isEmpty(); i++) {
        int answers = i + 1;
        h2.ping(i);
        h2.awaitFrame(f -> f.is(FrameType.GOAWAY) || pingAnswers(h2) >= answers, SOON);
      }
      Frame goAway = goAways(h2).get(0);
      assertEquals(ENHANCE_YOUR_CALM, goAway.errorCode());
      assertEquals("too_many_pings", goAway.debugData());
      scene.awaitAborted(id);
      assertEquals("client_cancel", scene.awaitLine(id).outcome());
    }
  }

  private static List<Frame> goAways(RawH2 h2) {
    return h2.frames().stream().filter(f -> f.is(FrameType.GOAWAY)).toList();
  }

  private static long pingAnswers(RawH2 h2) {
    return h2.frames().stream().filter(f -> f.is(FrameType.PING) && f.isAck()).count();
  }

  /** It answers no ping any more, and no reset or end ever comes. */
  @Test
  void callerThatVanishedIsNoticedByKeepAlive() {
    try (RawH2 h2 = scene.connect()) {
      String id = openStalled(h2, 1).get(0);
      long vanished = System.nanoTime();
      h2.goSilent();
      Duration limit = Duration.ofSeconds(20);
      inferencegateway.testing.Eventually.within(limit)
          .assertThat("the call ends", () -> !scene.log().of(id).isEmpty());
      RecordedRequest upstream = scene.awaitAborted(id);
      long took = upstream.disconnect().getAsLong() - vanished;
      assertTrue(took < 13_000_000_000L, "keep-alive is 10 s and 1 s, it took " + took + " ns");
      assertEquals("client_cancel", scene.awaitLine(id).outcome());
    }
  }
}
