package inferencegateway.server;

import static inferencegateway.server.GrpcListenerTest.await;
import static inferencegateway.server.GrpcListenerTest.echo;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.server.RawHttp2.Frame;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Codec;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ProtocolLimitsTest {

  private static final byte[] HELLO = {1, 2, 3};
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int REFUSED_STREAM = 7;

  private final Port port = new Port();
  private final LibraryLog quiet = new LibraryLog();

  @AfterEach
  void close() {
    port.close();
  }

  @Test
  void permittedPingsAreAnsweredWithoutCalls() throws IOException {
    port.permitPings = Duration.ofNanos(1);
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect())) {
      for (int i = 0; i < 20; i++) {
        caller.ping();
        assertTrue(caller.next(RawHttp2.PING).ack());
      }
    }
  }

  @Test
  void pingsBelowThePermittedTimeEndTheConnection() throws IOException {
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect())) {
      for (int i = 0; i < 5; i++) {
        caller.ping();
      }
      Frame goaway = caller.next(RawHttp2.GOAWAY);
      assertEquals(ENHANCE_YOUR_CALM, goaway.errorCode());
      assertEquals("too_many_pings", goaway.debugData());
    }
  }

  @Test
  void settingsTellTheLimits() throws IOException {
    port.maxStreams = 7;
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect())) {
      byte[] settings = caller.next(RawHttp2.SETTINGS).payload();
      assertEquals(7, setting(settings, 3));
      assertEquals(1024 * 1024, setting(settings, 4));
      assertEquals(64 * 1024, setting(settings, 6));
    }
  }

  private static int setting(byte[] settings, int id) {
    java.nio.ByteBuffer entries = java.nio.ByteBuffer.wrap(settings);
    while (entries.hasRemaining()) {
      int found = entries.getShort();
      int value = entries.getInt();
      if (found == id) {
        return value;
      }
    }
    return -1;
  }

  @Test
  void streamAboveTheLimitIsRefused() throws IOException {
    port.maxStreams = 2;
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect())) {
      caller.open(1, "/test.Bytes/Hold", Map.of());
      caller.open(3, "/test.Bytes/Hold", Map.of());
      caller.open(5, "/test.Bytes/Hold", Map.of());
      Frame reset = caller.next(RawHttp2.RST_STREAM);
      assertEquals(5, reset.stream());
      assertEquals(REFUSED_STREAM, reset.errorCode());
    }
  }

  @Test
  void tooManyResetsEndTheConnection() throws IOException {
    port.maxResets = 20;
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect())) {
      for (int i = 0; i < 21; i++) {
        caller.open(2 * i + 1, "/test.Bytes/Hold", Map.of());
        caller.reset(2 * i + 1);
      }
      Frame goaway = caller.next(RawHttp2.GOAWAY);
      assertEquals(ENHANCE_YOUR_CALM, goaway.errorCode());
      assertEquals("too_many_rststreams", goaway.debugData());
    }
  }

  @Test
  void fullConnectionWhoseDeadlinesPassTogetherSurvives() throws Exception {
    port.maxStreams = 100;
    port.maxResets = 400;
    port.start();
    ManagedChannel channel = port.channel();
    echo(channel, HELLO);
    CountDownLatch ended = new CountDownLatch(100);
    CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS);
    for (int i = 0; i < 100; i++) {
      ClientCall<byte[], byte[]> call = channel.newCall(ByteCalls.HOLD, soon);
      call.start(
          new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
              ended.countDown();
            }
          },
          new Metadata());
      call.sendMessage(HELLO);
      call.halfClose();
      call.request(2);
    }
    assertTrue(ended.await(10, TimeUnit.SECONDS));
    await(() -> port.calls.held.isEmpty());
    assertArrayEquals(HELLO, echo(channel, HELLO));
    assertEquals(1, port.calls.callers.size());
  }

  @Test
  void silentPlaintextConnectionIsClosed() throws IOException {
    port.handshakeTimeout = Duration.ofMillis(200);
    port.start();
    try (Socket silent = port.connect();
        Socket slow = port.connect()) {
      slow.getOutputStream().write("PRI * HTTP".getBytes(StandardCharsets.US_ASCII));
      readToEnd(slow);
      readToEnd(silent);
    }
    await(() -> port.listener().connections() == 0);
  }

  @Test
  void quietConnectionIsKeptAfterItsPreface() throws IOException {
    port.handshakeTimeout = Duration.ofMillis(100);
    port.permitPings = Duration.ofNanos(1);
    port.start();
    try (RawHttp2 caller = new RawHttp2(port.connect());
        Socket silent = port.connect()) {
      // The silent one came later: when it is gone, the first one's limit has long passed.
      readToEnd(silent);
      caller.ping();
      assertTrue(caller.next(RawHttp2.PING).ack());
    }
  }

  @Test
  void bytesOfOtherProtocolsCloseTheConnectionAndLeaveTheLogAlone() throws IOException {
    quiet.quieten();
    List<LogRecord> seen = new CopyOnWriteArrayList<>();
    Handler handler = recordingTo(seen);
    Logger library = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty");
    library.addHandler(handler);
    ch.qos.logback.classic.Logger ours =
        (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(LibraryLog.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    ours.setLevel(Level.DEBUG);
    ours.addAppender(lines);
    try {
      port.start();
      send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      send(new byte[] {22, 3, 1, 0, 50, 1, 0, 0, 46, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
      await(() -> port.listener().connections() == 0);
      await(() -> lines.list.size() >= 2);
    } finally {
      library.removeHandler(handler);
      ours.detachAppender(lines);
      ours.setLevel(null);
    }
    assertEquals(List.of(), seen);
    assertEquals(
        List.of(
            "DEBUG A caller's connection failed: Unexpected HTTP/1.x request",
            "DEBUG A caller's connection failed: HTTP/2 client preface string missing or corrupt."
                + " Hex dump for received bytes"),
        List.copyOf(lines.list).stream()
            .map(line -> line.getLevel() + " " + line.getFormattedMessage())
            .toList());
  }

  private void send(byte[] bytes) throws IOException {
    try (Socket socket = port.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      readToEnd(socket);
    }
  }

  private static void readToEnd(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    try {
      while (in.read() >= 0) {
        Thread.onSpinWait();
      }
    } catch (java.net.SocketException reset) {
      return;
    }
  }

  private static Handler recordingTo(List<LogRecord> records) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        records.add(record);
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void unknownCompressionIsUnimplemented() throws IOException {
    port.start();
    CompressorRegistry odd = CompressorRegistry.newEmptyInstance();
    odd.register(new Unknown());
    ManagedChannel channel =
        port.keep(port.channelBuilder().usePlaintext().compressorRegistry(odd).build());
    CallOptions options =
        CallOptions.DEFAULT.withCompression("odd").withDeadlineAfter(10, TimeUnit.SECONDS);
    StatusRuntimeException e =
        assertThrows(
            StatusRuntimeException.class,
            () -> ClientCalls.blockingUnaryCall(channel, ByteCalls.ECHO, options, HELLO));
    assertEquals(Status.Code.UNIMPLEMENTED, e.getStatus().getCode());
  }

  private static final class Unknown implements Codec {
    @Override
    public String getMessageEncoding() {
      return "odd";
    }

    @Override
    public OutputStream compress(OutputStream os) {
      return os;
    }

    @Override
    public InputStream decompress(InputStream is) throws IOException {
      throw new EOFException();
    }
  }
}
