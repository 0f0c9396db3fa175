package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.CANCEL;
import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.FrameType;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever leaves, however and whenever, stops the backend's work at once. */
class LeavingTest {

  private static final int TIMES = 20;

  private static Scene scene;

  /** Where a call is when its caller leaves. */
  private enum Point {
    WAITING_FOR_HEADERS(Scene.STREAM, ask("stall-before-headers"), 0, "prefill"),
    BEFORE_FIRST_TOKEN(Scene.STREAM, ask("stall-after=0"), 0, "prefill"),
    MID_STREAM(Scene.STREAM, ask("", 5_000), 3, "decode"),
    MID_STREAM_STALLED(Scene.STREAM, ask("stall-after=3"), 3, "decode"),
    WAITING_FOR_SLOW_CALLER(Scene.STREAM, ask("huge-line=65536", 5_000), 12, "backpressure"),
    UNARY_WAITING_FOR_HEADERS(Scene.WHOLE, ask("stall-before-headers"), 0, "prefill"),
    UNARY_GENERATING(Scene.WHOLE, ask("", 5_000), 3, "prefill");

    private final String path;
    private final CompleteRequest.Builder ask;
    private final int tokens;
    private final String phase;

    Point(String path, CompleteRequest.Builder ask, int tokens, String phase) {
      this.path = path;
      this.ask = ask;
      this.tokens = tokens;
      this.phase = phase;
    }

    RawH2 connect() {
      return this == WAITING_FOR_SLOW_CALLER
          ? scene.connect(H2Behaviour.fixedWindow(0))
          : scene.connect();
    }

    /** Returns once the call is there. */
    RawStream reach(RawH2 h2, String id) {
      RawStream call = Scene.open(h2, path, id, ask);
      scene.awaitTokens(id, tokens);
      if (path.equals(Scene.STREAM) && this != WAITING_FOR_SLOW_CALLER) {
        call.awaitMessages(tokens, SOON);
      }
      return call;
    }
  }

  @BeforeAll
  static void start() {
    scene = Scene.start(Map.of());
    loadClasses();
  }

  /** Times are of the gateway, not of a test's first second. */
  private static void loadClasses() {
    for (Point point : Point.values()) {
      try (RawH2 h2 = point.connect()) {
        String id = Scene.newId();
        point.reach(h2, id).reset(CANCEL);
        scene.awaitAborted(id);
      }
    }
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
  void cancelStopsUpstream(Point point) {
    Latencies latencies = new Latencies("cancel to closed, " + point);
    try (RawH2 h2 = point.connect()) {
      for (int i = 0; i < TIMES; i++) {
        String id = Scene.newId();
        RawStream call = point.reach(h2, id);
        long left = System.nanoTime();
        call.reset(CANCEL);
        latencies.add(assertStopped(id, point, "client_cancel") - left);
      }
    }
    latencies.assertPrompt();
  }

  @ParameterizedTest
  @EnumSource
  void lostConnectionStopsUpstream(Point point) {
    Latencies latencies = new Latencies("TCP reset to closed, " + point);
    for (int i = 0; i < TIMES; i++) {
      String id = Scene.newId();
      RawH2 h2 = point.connect();
      point.reach(h2, id);
      long left = System.nanoTime();
      h2.abort();
      latencies.add(assertStopped(id, point, "client_cancel") - left);
    }
    latencies.assertPrompt();
  }

  /** The caller says nothing when its deadline passes: the gateway's own clock counts. */
  @ParameterizedTest
  @EnumSource
  void deadlineStopsUpstream(Point point) {
    Latencies latencies = new Latencies("deadline to closed, " + point);
    List<Timed> calls = new ArrayList<>();
    int told = 0;
    try (RawH2 h2 = point.connect()) {
      h2.awaitFrame(frame -> frame.is(FrameType.SETTINGS), SOON);
      for (int i = 0; i < TIMES; i++) {
        String id = Scene.newId();
        long due = System.nanoTime() + 200_000_000;
        RawStream call =
            Scene.named(h2, point.path, id)
                .timeout("200m")
                .open()
                .message(point.ask.build())
                .halfClose();
        calls.add(new Timed(id, call, due));
        LockSupport.parkNanos(10_000_000); // Else one pause of this machine delays all of them.
      }
      scene.rig().awaitQuiet(); // Looking at frames meanwhile would cost more than the calls.
      for (Timed timed : calls) {
        timed.call.awaitEnd(SOON);
        told += isTold(point, timed) ? 1 : 0;
        RecordedRequest upstream = scene.awaitAborted(timed.id);
        latencies.add(upstream.disconnect().getAsLong() - timed.due);
        assertEquals("client_deadline", scene.awaitLine(timed.id).outcome());
        assertEquals("CLIENT_DEADLINE", scene.awaitLine(timed.id).reason());
      }
    }
    // A busy machine may be late for a few.
    int least = point == Point.WAITING_FOR_SLOW_CALLER ? 0 : TIMES / 2;
    assertTrue(told >= least, "told what happened: " + told + " of " + TIMES);
    latencies.assertPrompt();
  }

  /** What has to wait behind data that nobody takes is overtaken by the library's reset. */
  private static boolean isTold(Point point, Timed timed) {
    boolean isReset = timed.call.resetCode().equals(OptionalInt.of(CANCEL));
    boolean isTold = timed.call.status().equals(OptionalInt.of(4));
    assertTrue(
        isReset || isTold && point != Point.WAITING_FOR_SLOW_CALLER, () -> timed.call.toString());
    if (isTold) {
      ErrorDetails details = ErrorDetails.of(Objects.requireNonNull(timed.call.trailers()));
      assertEquals("CLIENT_DEADLINE", details.reason());
      assertEquals(timed.id, details.requestId());
      assertEquals("-1", details.pushback());
    }
    return isTold;
  }

  /** Its own timer and the gateway's go off together; the log must not call it a cancel. */
  @Test
  void deadlineOfAnOrdinaryClientIsNoCancel() {
    ManagedChannel channel = scene.rig().callers().channel();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      String id = Scene.newId();
      ids.add(id);
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER), id);
      LLMServiceGrpc.LLMServiceBlockingStub stub =
          LLMServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
              .withDeadlineAfter(60, TimeUnit.MILLISECONDS);
      StatusRuntimeException error =
          assertThrows(
              StatusRuntimeException.class,
              () -> stub.complete(ask("stall-before-headers").build()));
      assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
    }
    scene.rig().awaitQuiet();
    // A busy machine may delay a few on their way.
    long deadlines =
        ids.stream()
            .flatMap(id -> scene.log().of(id).stream())
            .filter(line -> line.outcome().equals("client_deadline"))
            .count();
    assertTrue(deadlines >= TIMES / 2, deadlines + " of " + TIMES);
  }

  /** The C core sends 39.9 s as 40 s: its reset comes before the gateway's timer. */
  @Test
  void resetShortlyBeforeARoundedDeadlineIsTheDeadline() {
    try (RawH2 h2 = scene.connect()) {
      String early = Scene.newId();
      String due = Scene.newId();
      RawStream[] calls = new RawStream[2];
      for (int i = 0; i < 2; i++) {
        calls[i] =
            Scene.named(h2, Scene.STREAM, i == 0 ? early : due)
                .timeout("8S")
                .open()
                .message(ask("stall-after=1").build())
                .halfClose();
        calls[i].awaitMessages(1, SOON);
      }
      calls[0].reset(CANCEL);
      assertEquals("client_cancel", scene.awaitLine(early).outcome());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(7_930)); // 70 ms and less are left
      calls[1].reset(CANCEL);
      assertEquals("client_deadline", scene.awaitLine(due).outcome());
      assertEquals("DEADLINE_EXCEEDED", scene.awaitLine(due).get("code"));
    }
  }

  private record Timed(String id, RawStream call, long due) {}

  /** Returns when the backend saw the gateway go. */
  private static long assertStopped(String id, Point point, String outcome) {
    RecordedRequest upstream = scene.awaitAborted(id);
    CallLog.Line line = scene.awaitLine(id);
    assertEquals(outcome, line.outcome());
    assertEquals(point.phase, line.phase());
    return upstream.disconnect().getAsLong();
  }

  @Test
  void abortedConnectionIsNotUsedAgain() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      Point.MID_STREAM.reach(h2, id).reset(CANCEL);
      long aborted = scene.awaitAborted(id).connection();
      String next = Scene.newId();
      Scene.open(h2, Scene.STREAM, next, ask("")).awaitEnd(SOON);
      assertTrue(scene.awaitUpstream(next).connection() != aborted);
    }
  }

  @Test
  void twoHundredCancelsAtRandomPointsLeaveNothingBehind() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> ids = new ArrayList<>();
    try (RawH2 h2 = scene.connect()) {
      for (int i = 0; i < 200; i++) {
        String id = Scene.newId();
        ids.add(id);
        String path = random.nextBoolean() ? Scene.STREAM : Scene.WHOLE;
        RawStream call = Scene.open(h2, path, id, ask("", 20));
        LockSupport.parkNanos(random.nextInt(60_000_000) / (1 + random.nextInt(20)));
        call.reset(CANCEL);
      }
      scene.rig().awaitQuiet();
      ids.forEach(scene::awaitLine);
      // A new call on the same loop finds a clean place: its connection answers it alone.
      String id = Scene.newId();
      RawStream last = Scene.open(h2, Scene.STREAM, id, ask("", 20)).awaitEnd(SOON);
      assertEquals(OptionalInt.of(0), last.status(), "seed " + seed);
      assertEquals(21, last.messages().size());
    }
  }

  /** Either the end or the cancel wins, never both and never neither. */
  @Test
  void cancelThatRacesWithTheLastChunkEndsTheCallOnce() {
    Random random = new Random(4);
    List<String> ids = new ArrayList<>();
    int ok = 0;
    try (RawH2 h2 = scene.connect()) {
      for (int i = 0; i < 300; i++) {
        String id = Scene.newId();
        ids.add(id);
        RawStream call = Scene.open(h2, Scene.STREAM, id, ask("", 2));
        call.awaitMessages(1, SOON);
        LockSupport.parkNanos(1_000_000 + random.nextInt(3_000_000));
        call.reset(CANCEL);
      }
      scene.rig().awaitQuiet();
      for (String id : ids) {
        CallLog.Line line = scene.awaitLine(id);
        assertTrue(List.of("ok", "client_cancel").contains(line.outcome()), line.toString());
        ok += line.outcome().equals("ok") ? 1 : 0;
      }
    }
    org.slf4j.LoggerFactory.getLogger(LeavingTest.class).info("{} of 300 races ended ok", ok);
  }
}
