package inferencegateway.testing;

import static inferencegateway.testing.PlainServer.STREAM_PATH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RawH2Test {
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int CANCEL = 8;
  private static final int PREFACE_LENGTH = 24;
  private static final GenerateRequest REQUEST = SeedCallers.generateRequest("hello");

  private final Flood flood = new Flood();
  private final PlainServer server = PlainServer.streaming(flood);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void deadlineOfSilentClientIsEndedByTheServerWithReset() {
    try (RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      RawStream call = h2.call(STREAM_PATH).timeout("100m").open().message(REQUEST).halfClose();
      call.awaitEnd(SOON);
      assertEquals(OptionalInt.of(CANCEL), call.resetCode());
      assertTrue(Flood.happens(flood.cancelled));
    }
  }

  @Test
  void zeroWindowTurnsTheServerUnready() throws Exception {
    try (RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).halfClose();
      assertTrue(Flood.happens(flood.notReady));
      h2.awaitFrame(frame -> frame.is(FrameType.HEADERS), SOON);
      assertEquals(0, call.dataBytes());
      int sent = flood.sent.get();
      call.grant(20_000);
      Eventually.within(SOON).assertThat(() -> call.dataBytes() == 20_000);
      Eventually.within(SOON).assertThat(() -> flood.sent.get() > sent);
      assertEquals(TokenResponse.parseFrom(call.messages().get(0)), Flood.MESSAGE);
    }
  }

  @Test
  void windowsAreRefilledByItself() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).halfClose();
      call.awaitMessages(500, SOON);
      call.reset(CANCEL);
      assertTrue(Flood.happens(flood.cancelled));
    }
  }

  @Test
  void windowIsGrantedAtTheChosenPace() {
    try (RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).halfClose();
      long start = System.nanoTime();
      try (Pace pace = call.grantAtPace(500, Duration.ofMillis(10))) {
        call.awaitMessages(5, SOON);
        assertNotNull(pace);
      }
      assertTrue(System.nanoTime() - start >= 100_000_000);
    }
  }

  @Test
  void trailersOnlyAnswerIsRecognised() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call("/no.Such/Method").open().message(REQUEST).halfClose();
      call.awaitEnd(SOON);
      assertTrue(call.isTrailersOnly());
      assertEquals(OptionalInt.of(12), call.status());
      assertTrue(call.messages().isEmpty());
    }
  }

  @Test
  void wholeAnswerHasHeadersMessagesAndTrailers() throws Exception {
    try (PlainServer counting = PlainServer.start(b -> b.addService(new ThreeTokens()));
        RawH2 h2 = RawH2.connect(counting.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).halfClose().awaitEnd(SOON);
      assertFalse(call.isTrailersOnly());
      assertEquals(2, call.headerFrames().size());
      assertEquals("200", call.headers().get(":status"));
      assertEquals(OptionalInt.of(0), call.status());
      assertEquals(3, call.messages().size());
      assertEquals("2", TokenResponse.parseFrom(call.messages().get(2)).getToken());
      assertEquals(OptionalInt.empty(), call.resetCode());
    }
  }

  @Test
  void secondMessageOfUnaryRequestIsReset() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).message(REQUEST);
      assertEquals(OptionalInt.of(CANCEL), call.awaitEnd(SOON).resetCode());
      assertEquals(0, flood.requests.get());
    }
  }

  @Test
  void malformedBytesArriveAsTheyAre() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(new byte[] {(byte) 0xff, 1, 2});
      call.halfClose().awaitEnd(SOON);
      assertEquals(0, flood.requests.get());
      assertTrue(call.status().orElse(0) != 0);
    }
  }

  @Test
  void longHeadersAreCutIntoContinuations() {
    try (PlainServer roomy =
            PlainServer.start(
                b -> b.addService(new ThreeTokens()).maxInboundMetadataSize(1 << 20));
        RawH2 h2 = RawH2.connect(roomy.port())) {
      RawCall call = h2.call(STREAM_PATH).with("x-long", "v".repeat(100_000));
      RawStream stream = call.open().message(REQUEST).halfClose().awaitEnd(SOON);
      assertEquals(OptionalInt.of(0), stream.status());
    }
  }

  @Test
  void abortIsNoticedAsReset() {
    try (RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      h2.call(STREAM_PATH).open().message(REQUEST).halfClose();
      assertTrue(Flood.happens(flood.notReady));
      h2.abort();
      assertTrue(Flood.happens(flood.cancelled));
    }
  }

  @Test
  void pingsAndSettingsAreAnsweredOnBothSides() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      h2.awaitFrame(frame -> frame.is(FrameType.SETTINGS) && !frame.isAck(), SOON);
      h2.awaitFrame(frame -> frame.is(FrameType.SETTINGS) && frame.isAck(), SOON);
      h2.ping(42);
      h2.awaitFrame(frame -> frame.is(FrameType.PING) && frame.isAck(), SOON);
      h2.goAway(0);
      assertTrue(h2.staysWithout(f -> f.is(FrameType.RST_STREAM), Duration.ofMillis(20)));
    }
  }

  @Test
  void answersNothingWhenToldSo() throws Exception {
    H2Behaviour rude = H2Behaviour.fixedWindow(7).withoutSettingsAck().withoutPingAck();
    assertEquals(List.of("SETTINGS", "WINDOW_UPDATE"), sentToServerThatPings(rude));
    List<String> polite = sentToServerThatPings(H2Behaviour.polite());
    assertEquals(List.of("SETTINGS", "WINDOW_UPDATE", "SETTINGS ack", "PING ack"), polite);
  }

  /** What the client sends when the server says SETTINGS, PING and end. */
  private static List<String> sentToServerThatPings(H2Behaviour behaviour) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RawH2 h2 = RawH2.connect(listener.getLocalPort(), behaviour);
      try (Socket server = listener.accept()) {
        FrameWriter writer = new FrameWriter(server.getOutputStream());
        writer.frame(FrameType.SETTINGS, 0, 0, new byte[0]);
        writer.frame(FrameType.PING, 0, 0, new byte[8]);
        server.shutdownOutput();
        h2.awaitClosed(SOON);
        h2.close();
        return framesOf(server);
      }
    }
  }

  private static List<String> framesOf(Socket server) throws IOException {
    server.getInputStream().skipNBytes(PREFACE_LENGTH);
    FrameReader reader = new FrameReader(server.getInputStream());
    List<String> names = new ArrayList<>();
    try {
      while (true) {
        Frame frame = reader.next();
        names.add(frame.type() + (frame.isAck() ? " ack" : ""));
      }
    } catch (EOFException end) {
      return names;
    }
  }

  @Test
  void goneSilentRecordsNothingMore() {
    try (RawH2 h2 = RawH2.connect(server.port())) {
      h2.awaitFrame(frame -> frame.isAck(), SOON);
      h2.goSilent();
      h2.ping(7);
      assertTrue(h2.staysWithout(frame -> frame.is(FrameType.PING), Duration.ofMillis(50)));
      assertFalse(h2.isClosed());
    }
  }

  @Test
  void largeRequestStaysWithinTheServersWindow() {
    GenerateRequest large = SeedCallers.generateRequest("y".repeat(3_000_000));
    try (RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      h2.call(STREAM_PATH).open().message(large).halfClose();
      Eventually.within(SOON).assertThat(() -> flood.requests.get() == 1);
    }
  }

  @Test
  void headerBlockComesBackAsWritten() throws Exception {
    HeaderList fields =
        new HeaderList(
            List.of(Map.entry("a", "1"), Map.entry("b", "z".repeat(300)), Map.entry("a", "2")));
    HeaderList back = new HeaderBlocks().decode(1, HeaderBlocks.encode(fields.fields()));
    assertEquals(List.of("1", "2"), back.all("a"));
    assertNotNull(back.get("b"));
    assertEquals(300, back.get("b").length());
    assertNull(back.get("c"));
  }

  private static final class ThreeTokens extends InferenceServiceGrpc.InferenceServiceImplBase {
    @Override
    public void generateStream(GenerateRequest request, StreamObserver<TokenResponse> answer) {
      for (int i = 0; i < 3; i++) {
        answer.onNext(TokenResponse.newBuilder().setToken("" + i).build());
      }
      answer.onCompleted();
    }
  }
}
