package inferencegateway.testing;

import static inferencegateway.testing.PlainServer.STREAM_PATH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * What the gRPC library does where the gateway leans on it and no specification holds it to that. A
 * new version that differs shows here first.
 */
class LibraryFactsTest {
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int PROTOCOL_ERROR = 1;
  private static final int INTERNAL_ERROR = 2;
  private static final int CANCEL = 8;
  private static final GenerateRequest REQUEST = SeedCallers.generateRequest("hello");
  private static final byte[] MALFORMED = {(byte) 0xff, 1, 2};

  private final StreamCutter cutter = new StreamCutter();

  private PlainServer serve(Flood flood) {
    return PlainServer.start(
        builder ->
            builder
                .addService(PlainServer.service(flood))
                .addStreamTracerFactory(cutter)
                .maxInboundMetadataSize(16_384, 65_536));
  }

  private static RawStream ask(RawH2 h2) {
    return h2.call(STREAM_PATH).open().message(REQUEST).halfClose();
  }

  /** All that the server had to say by now has been received. */
  private static void roundTrip(RawH2 h2, long number) {
    h2.ping(number);
    h2.awaitFrame(
        frame ->
            frame.is(FrameType.PING)
                && frame.isAck()
                && java.nio.ByteBuffer.wrap(frame.payload()).getLong() == number,
        SOON);
  }

  @Test
  void parentContextCancelledWithDeadlineExceededResetsStreamAtZeroWindow() throws Exception {
    List<Throwable> causes =
        List.of(Status.DEADLINE_EXCEEDED.asRuntimeException(), new TimeoutException());
    for (Throwable cause : causes) {
      Flood flood = new Flood();
      try (PlainServer server = serve(flood);
          RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
        RawStream call = ask(h2);
        assertTrue(Flood.happens(flood.notReady), () -> "" + h2.frames());
        cutter.take().cancel(cause);
        assertEquals(OptionalInt.of(CANCEL), call.awaitEnd(SOON).resetCode());
        assertEquals(0, call.dataBytes());
        assertTrue(Flood.happens(flood.cancelled));
        assertEquals(Status.Code.DEADLINE_EXCEEDED, cutter.takeClosing().getCode());
      }
    }
  }

  @Test
  void parentContextCancelledWithAnyOtherCauseSendsNothing() throws Exception {
    List<Throwable> causes =
        List.of(
            Status.CANCELLED.asRuntimeException(),
            Status.UNAVAILABLE.asRuntimeException(),
            new IllegalStateException());
    Flood flood = new Flood();
    try (PlainServer server = serve(flood);
        RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      for (Throwable cause : causes) {
        RawStream call = ask(h2);
        roundTrip(h2, call.id());
        cutter.take().cancel(cause);
        roundTrip(h2, call.id() + 1);
        assertFalse(call.isEnded());
      }
      assertEquals(1, flood.cancelled.getCount());
    }
  }

  /** 1 GiB in all, more direct memory than the JVM of the tests has. */
  @Test
  void cutStreamsReleaseWhatWasQueued() throws Exception {
    Flood flood = new Flood(4 << 20, Flood.ofSize(2 << 20));
    try (PlainServer server = serve(flood);
        RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      for (int cuts = 1; cuts <= 256; cuts++) {
        RawStream call = ask(h2);
        int sentByNow = 2 * cuts;
        Eventually.within(SOON).assertThat(() -> flood.sent.get() == sentByNow);
        cutter.take().cancel(new TimeoutException());
        assertEquals(OptionalInt.of(CANCEL), call.awaitEnd(SOON).resetCode());
      }
    }
  }

  @Test
  void ordinaryClientSeesACutStreamAsCancelled() throws Exception {
    Flood flood = new Flood();
    try (PlainServer server = serve(flood);
        Callers callers = new Callers(server.port())) {
      RecordingObserver<GenerateRequest, TokenResponse> slow = RecordingObserver.taking(1);
      InferenceServiceGrpc.newStub(callers.channel()).generateStream(REQUEST, slow);
      slow.awaitMessages(1, SOON);
      assertTrue(Flood.happens(flood.notReady));
      cutter.take().cancel(new TimeoutException());
      // The reset overtakes what waits in the server, not what has already arrived.
      slow.request(Integer.MAX_VALUE);
      assertEquals(Status.Code.CANCELLED, slow.awaitEnd(SOON).getCode());
    }
  }

  @Test
  void readyComesOnceAMessageHasLeftWhollyAndNotBefore() {
    Flood flood = new Flood(1, Flood.ofSize(16_000));
    try (PlainServer server = serve(flood);
        RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      RawStream call = ask(h2);
      assertTrue(Flood.happens(flood.notReady), () -> "" + h2.frames());
      assertEquals(1, flood.sent.get());
      for (int granted = 1_000; granted <= 16_000; granted += 1_000) {
        takeMore(h2, call, granted);
        assertEquals(0, flood.readyAt.size());
      }
      takeMore(h2, call, 17_000);
      assertEquals(1, flood.readyAt.size());
      assertEquals(2, flood.sent.get());
    }
  }

  @Test
  void readyComesForEveryMessageThatLeavesAFullQueue() {
    for (int threshold : new int[] {1, 1_024, 32_768}) {
      Flood flood = new Flood(threshold, Flood.MESSAGE);
      try (PlainServer server = serve(flood);
          RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
        RawStream call = ask(h2);
        assertTrue(Flood.happens(flood.notReady), () -> "" + h2.frames());
        for (int granted = 1_100; granted <= 9_900; granted += 1_100) {
          takeMore(h2, call, granted);
          int leftWholly = granted / 1_010;
          Eventually.within(SOON).assertThat(() -> flood.readyAt.size() == leftWholly);
        }
      }
    }
  }

  private static void takeMore(RawH2 h2, RawStream call, int inAll) {
    call.grant(inAll - call.dataBytes());
    Eventually.within(SOON).assertThat(() -> call.dataBytes() == inAll);
    roundTrip(h2, inAll);
  }

  @Test
  void onlyMessageOfUnaryRequestWaitsForTheHalfClose() {
    Flood flood = new Flood();
    try (PlainServer server = serve(flood);
        RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST);
      roundTrip(h2, 1);
      assertEquals(0, flood.requests.get());
      call.halfClose();
      Eventually.within(SOON).assertThat(() -> flood.requests.get() == 1);
    }
  }

  @Test
  void secondMessageOfUnaryRequestResetsBeforeTheHandlerSeesAny() throws Exception {
    Flood flood = new Flood();
    try (PlainServer server = serve(flood);
        RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(REQUEST).message(REQUEST);
      assertEquals(OptionalInt.of(CANCEL), call.awaitEnd(SOON).resetCode());
      Status closing = cutter.takeClosing();
      assertEquals(Status.Code.INTERNAL, closing.getCode());
      assertEquals("Too many requests", closing.getDescription());
      assertEquals(0, flood.requests.get());
      assertTrue(Flood.happens(flood.cancelled));
    }
  }

  @Test
  void marshallerMayHandTheHandlerAMarkerForMalformedBytes() {
    try (PlainServer server = PlainServer.start(b -> b.addService(markingService()));
        RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).open().message(MALFORMED).halfClose();
      assertTrue(call.awaitEnd(SOON).isTrailersOnly());
      assertEquals(OptionalInt.of(Status.Code.INTERNAL.value()), call.status());
      HeaderList trailers = call.trailers();
      assertNotNull(trailers);
      assertEquals("r-1", ErrorDetails.of(trailers).requestId());
    }
  }

  /** A request, or none where the bytes were none. */
  private record Parsed(boolean malformed) {}

  private static final class Marking implements MethodDescriptor.Marshaller<Parsed> {
    @Override
    public InputStream stream(Parsed value) {
      return InputStream.nullInputStream();
    }

    @Override
    public Parsed parse(InputStream stream) {
      try {
        InferenceServiceGrpc.getGenerateStreamMethod().parseRequest(stream);
        return new Parsed(false);
      } catch (RuntimeException e) {
        return new Parsed(true);
      }
    }
  }

  private static ServerServiceDefinition markingService() {
    MethodDescriptor<GenerateRequest, TokenResponse> plain =
        InferenceServiceGrpc.getGenerateStreamMethod();
    return ServerServiceDefinition.builder("inference.InferenceService")
        .addMethod(
            plain.toBuilder(new Marking(), plain.getResponseMarshaller()).build(),
            (call, headers) -> closingWithInternal(call))
        .build();
  }

  private static ServerCall.Listener<Parsed> closingWithInternal(
      ServerCall<Parsed, TokenResponse> call) {
    call.request(2);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(Parsed message) {
        Metadata trailers = new Metadata();
        trailers.put(Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER), "r-1");
        call.close(message.malformed() ? Status.INTERNAL : Status.OK, trailers);
      }
    };
  }

  @Test
  void junkTimeoutIsResetWithInternalErrorAndPastOneWithCancel() {
    try (PlainServer server = serve(new Flood());
        RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      for (String junk : List.of("", "abc", "99999999999S", "5X")) {
        assertEquals(
            OptionalInt.of(INTERNAL_ERROR), resetOf(h2, junk), () -> junk + ": " + h2.frames());
      }
      for (String past : List.of("1n", "0S", "-5S")) {
        assertEquals(OptionalInt.of(CANCEL), resetOf(h2, past), past);
      }
    }
  }

  private static OptionalInt resetOf(RawH2 h2, String timeout) {
    RawStream call = h2.call(STREAM_PATH).timeout(timeout).open().message(REQUEST).halfClose();
    return call.awaitEnd(SOON).resetCode();
  }

  @Test
  void faultsOfFramingAndEncodingAreAnsweredTrailersOnly() {
    try (PlainServer server = serve(new Flood());
        RawH2 h2 = RawH2.connect(server.port(), H2Behaviour.fixedWindow(0))) {
      RawCall snappy = h2.call(STREAM_PATH).with("grpc-encoding", "snappy");
      assertTrailersOnly(12, snappy.open().message(REQUEST).halfClose());
      assertTrailersOnly(13, h2.call(STREAM_PATH).open().compressed(REQUEST.toByteArray()));
      assertTrailersOnly(8, h2.call(STREAM_PATH).open().framed(0, (4 << 20) + 1, new byte[0]));
      assertTrailersOnly(13, h2.call(STREAM_PATH).open().framed(0, 10, new byte[3]).halfClose());
      assertTrailersOnly(2, h2.call(STREAM_PATH).open().message(MALFORMED).halfClose());
      assertTrailersOnly(12, h2.call("/no.Such/Method").open());
    }
  }

  private static void assertTrailersOnly(int status, RawStream call) {
    assertTrue(call.awaitEnd(SOON).isTrailersOnly());
    assertEquals(OptionalInt.of(status), call.status());
  }

  @Test
  void callWithoutTeIsServed() {
    try (PlainServer server = serve(new Flood());
        RawH2 h2 = RawH2.connect(server.port())) {
      RawStream call = h2.call(STREAM_PATH).without("te").open().message(REQUEST).halfClose();
      call.awaitMessages(3, SOON).reset(CANCEL);
    }
  }

  /** The hard limit is 64 KiB; Netty lets a quarter more pass before it gives the connection up. */
  @Test
  void metadataALittleAboveTheHardLimitCostsTheCallAndFarAboveTheConnection() {
    try (PlainServer server = serve(new Flood());
        RawH2 h2 = RawH2.connect(server.port())) {
      RawStream little = withMetadata(h2, 80_000).awaitEnd(SOON);
      assertEquals("431", java.util.Objects.requireNonNull(little.headers()).get(":status"));
      roundTrip(h2, 1);
      assertEquals(OptionalInt.of(PROTOCOL_ERROR), little.resetCode());
      withMetadata(h2, 83_000);
      Frame goAway = h2.awaitFrame(frame -> frame.is(FrameType.GOAWAY), SOON);
      assertEquals(PROTOCOL_ERROR, goAway.errorCode());
      h2.awaitClosed(SOON);
    }
  }

  private static RawStream withMetadata(RawH2 h2, int bytes) {
    return h2.call(STREAM_PATH).with("x-long", "v".repeat(bytes)).open();
  }

  @Test
  void bytesThatAreNoHttp2AreAnsweredWithGoAwayAndClose() {
    byte[] http1 = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] tlsHello = {0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3};
    try (PlainServer server = serve(new Flood())) {
      assertTrue(answerTo(server, http1).contains("Unexpected HTTP/1.x request"));
      assertTrue(answerTo(server, tlsHello).contains("preface string missing"));
    }
  }

  private static String answerTo(PlainServer server, byte[] bytes) {
    try (RawTcp tcp = RawTcp.connect(server.port())) {
      byte[] answer = tcp.send(bytes).readUntilClosed(SOON);
      return new String(answer, StandardCharsets.ISO_8859_1);
    }
  }
}
