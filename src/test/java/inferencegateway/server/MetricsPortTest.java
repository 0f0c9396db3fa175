package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.config.HostPort;
import inferencegateway.config.StartFailure;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.testing.Eventually;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class MetricsPortTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int PLACES = 20;
  private static final String GET = "GET /metrics HTTP/1.1\r\nHost: x\r\n";

  private static final MetricsPort.Patience SHORT =
      new MetricsPort.Patience(Duration.ofMillis(200), Duration.ofMillis(200), SOON);

  private final AtomicInteger looks = new AtomicInteger();
  private final List<Socket> open = new ArrayList<>();
  private MetricsPort port;

  private void start(MetricsPort.Patience patience, Page page) throws IOException {
    port = new MetricsPort(loopback(0), page, PLACES, patience);
    port.start();
  }

  private void start() throws IOException {
    start(MetricsPort.Patience.ORDINARY, this::looked);
  }

  private Page.Moment looked() {
    int look = looks.incrementAndGet();
    Page.Content content =
        new Page.Content("text/x", ("look " + look).getBytes(StandardCharsets.US_ASCII));
    return accept -> content;
  }

  private static TelemetryConfig.Port loopback(int port) {
    return new TelemetryConfig.Port("metrics-listen", new HostPort("127.0.0.1", port), true);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket each : open) {
      each.close();
    }
    if (port != null) {
      port.close();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port());
    socket.setSoTimeout((int) SOON.toMillis());
    open.add(socket);
    return socket;
  }

  private Socket send(String text) throws IOException {
    Socket socket = connect();
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  /** Until it is closed. */
  private static byte[] bytes(Socket socket) throws IOException {
    return socket.getInputStream().readAllBytes();
  }

  private String answer(String request) throws IOException {
    return new String(bytes(send(request)), StandardCharsets.ISO_8859_1);
  }

  @Test
  void pageIsThereForGetAndHead() throws IOException {
    start();
    String page = answer(GET + "Connection: close\r\n\r\n");
    assertTrue(page.startsWith("HTTP/1.1 200 OK\r\n"), page);
    assertTrue(page.contains("content-type: text/x\r\n"), page);
    assertTrue(page.endsWith("\r\n\r\nlook 1"), page);
    String head = answer("HEAD /metrics?a=b HTTP/1.0\r\n\r\n");
    assertTrue(head.contains("content-length: 6\r\n"), head);
    assertTrue(head.endsWith("\r\n\r\n"), head);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics/x", "/metricsx", "/../../etc/passwd", "/favicon.ico", "*"})
  void nothingElseIsThere(String path) throws IOException {
    start();
    String answer = answer("GET " + path + " HTTP/1.0\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
    assertTrue(answer.endsWith("Metrics: /metrics\n"), answer);
    assertEquals(0, looks.get());
  }

  @Test
  void rootSaysWhereThePageIs() throws IOException {
    start();
    String answer = answer("GET / HTTP/1.0\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    assertTrue(answer.endsWith("inference-gateway. Metrics: /metrics\n"), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "BREW"})
  void otherMethodsAreRefused(String method) throws IOException {
    start();
    String answer = answer(method + " /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 405 "), answer);
    assertTrue(answer.contains("allow: GET, HEAD\r\n"), answer);
    assertEquals(0, looks.get());
  }

  @Test
  void zippedWhereThatIsTaken() throws IOException {
    start();
    byte[] all = bytes(send(GET + "Accept-Encoding: deflate, gzip\r\nConnection: close\r\n\r\n"));
    String head = new String(all, StandardCharsets.ISO_8859_1);
    assertTrue(head.contains("content-encoding: gzip\r\n"), head);
    int body = head.indexOf("\r\n\r\n") + 4;
    GZIPInputStream zip =
        new GZIPInputStream(new ByteArrayInputStream(all, body, all.length - body));
    assertEquals("look 1", new String(zip.readAllBytes(), StandardCharsets.US_ASCII));
    String plain = answer(GET + "Accept-Encoding: gzip;q=0\r\nConnection: close\r\n\r\n");
    assertTrue(plain.endsWith("look 2"), plain);
  }

  @Test
  void connectionServesAgain() throws IOException {
    start();
    Socket socket = send(GET + "\r\n");
    for (int i = 1; i <= 3; i++) {
      String answer = new String(socket.getInputStream().readNBytes(lengthOfOne()), "US-ASCII");
      assertTrue(answer.endsWith("look " + i), answer);
      socket.getOutputStream().write((GET + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static int lengthOfOne() {
    return ("HTTP/1.1 200 OK\r\ncontent-type: text/x\r\ncontent-length: 6\r\n"
            + "connection: keep-alive\r\n\r\nlook 1")
        .length();
  }

  @Test
  void junkCostsOneLineWithoutATrace() throws IOException {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger server = (Logger) LoggerFactory.getLogger("inferencegateway.server");
    server.addAppender(lines);
    try {
      start();
      String chunked = "POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
      for (int i = 0; i < 50; i++) {
        answer(chunked + "fffffffff\r\nxx");
        answer("\u0016\u0003\u0001 what is this\r\n\r\n");
        answer("GET /metrics HTTP/1.1\r\nContent-Length: x\r\n\r\n");
        answer("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n");
      }
      assertEquals(1, lines.list.size(), lines.list.toString());
      assertEquals(null, lines.list.get(0).getThrowableProxy());
    } finally {
      server.detachAppender(lines);
    }
    assertEquals(0, looks.get());
  }

  @Test
  void thoseWhoSayNothingMakeRoomForThoseWhoAsk() throws IOException {
    start();
    for (int i = 0; i < 10 * PLACES; i++) {
      send(i % 2 == 0 ? "" : GET);
    }
    for (int i = 0; i < 3; i++) {
      assertTrue(answer(GET + "Connection: close\r\n\r\n").endsWith("look " + (i + 1)));
    }
  }

  @Test
  void thoseWhoSayNothingAreClosed() throws IOException {
    start(SHORT, this::looked);
    assertEquals(0, bytes(send(GET)).length);
  }

  @Test
  void thoseWhoAskNoMoreAreClosed() throws IOException {
    start(SHORT, this::looked);
    assertEquals(lengthOfOne(), bytes(send(GET + "\r\n")).length);
  }

  @Test
  void crowdIsServedFromFewLooks() throws IOException {
    start(
        MetricsPort.Patience.ORDINARY,
        () -> {
          busyFor(Duration.ofMillis(10));
          return looked();
        });
    List<Socket> crowd = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      crowd.add(send(GET + "Connection: close\r\n\r\n"));
    }
    for (Socket each : crowd) {
      assertTrue(new String(bytes(each), StandardCharsets.US_ASCII).contains("200 OK"));
    }
    assertTrue(looks.get() <= PLACES / 4, looks + " looks");
    assertEquals(0, port.turnedAway());
  }

  private static void busyFor(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** Nobody gets what was before it asked. */
  @Test
  void everyAnswerIsFresh() throws IOException {
    start(
        MetricsPort.Patience.ORDINARY,
        () -> {
          busyFor(Duration.ofMillis(5));
          return looked();
        });
    for (int i = 1; i <= 10; i++) {
      assertTrue(answer(GET + "Connection: close\r\n\r\n").endsWith("look " + i));
    }
  }

  @Test
  void slowReadersHoldTheirOwnPlacesOnlyAndAreCountedAboveThem() throws IOException {
    byte[] much = new byte[16 << 20];
    Page.Content content = new Page.Content("text/x", much);
    start(MetricsPort.Patience.ORDINARY, () -> accept -> content);
    for (int i = 0; i < PLACES; i++) {
      Socket slow = send(GET + "\r\n");
      assertEquals('H', slow.getInputStream().read());
    }
    assertEquals(-1, connect().getInputStream().read());
    Eventually.within(SOON).assertThat("counted", () -> port.turnedAway() == 1);
    open.remove(0).close();
    Eventually.within(SOON)
        .assertThat(
            "a place again",
            () -> {
              try (Socket next = send(GET + "\r\n")) {
                return next.getInputStream().read() == 'H';
              } catch (IOException turnedAway) {
                return false;
              }
            });
  }

  @Test
  void pageThatCannotBeMadeEndsNothingElse() throws IOException {
    start(
        MetricsPort.Patience.ORDINARY,
        () -> {
          if (looks.get() == 0) {
            looks.incrementAndGet();
            throw new IllegalStateException("of a test");
          }
          return looked();
        });
    assertEquals("", answer(GET + "\r\n"));
    assertTrue(answer(GET + "Connection: close\r\n\r\n").endsWith("look 2"));
  }

  @Test
  void takenPortIsToldByItsKey() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      MetricsPort second = new MetricsPort(loopback(taken.getLocalPort()), this::looked);
      StartFailure failure = assertThrows(StartFailure.class, second::start);
      assertEquals("metrics-listen", failure.key());
    }
  }
}
