package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseFaultsTest {
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private final ClientFixture fixture = new ClientFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** The answer to one request, after which the server closes. */
  private Recorder answered(String raw) throws Exception {
    return answered(raw.getBytes(StandardCharsets.ISO_8859_1), false);
  }

  private Recorder answered(byte[] raw, boolean stay) throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.send(raw);
              if (stay) {
                peer.endsWithin(10_000);
              }
            })) {
      HttpClient client =
          fixture.client(
              ClientFixture.tcp("127.0.0.1", server.port(), false),
              ClientFixture.CONNECT,
              Duration.ofMillis(100));
      Recorder recorder = fixture.get(client).await();
      eventually("no connection left", () -> client.counts().open() == 0);
      return recorder;
    }
  }

  @Test
  void bodyUntilCloseEndsWithFin() throws Exception {
    assertEquals("all of it", answered(OK + "\r\nall of it").text());
  }

  @Test
  void bodyUntilCloseIsCutByReset() throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.send(OK + "\r\npart");
              peer.request(); // Never comes; the test resets.
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = fixture.get(client);
      RawServer.Peer.await(recorder.bodySeen);
      server.resetAll();
      assertEquals(HttpFault.Kind.CUT, recorder.fault().kind());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OK + "content-length: 10\r\n\r\nshort",
        OK + "content-length: 10\r\n\r\n",
        OK + "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        OK + "transfer-encoding: chunked\r\n\r\n5\r\nhel",
        OK + "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        OK + "content-le",
        OK + "content-length: 3\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 20",
        "HT"
      })
  void endInsideTheAnswerIsACut(String raw) throws Exception {
    assertEquals(HttpFault.Kind.CUT, answered(raw).fault().kind());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OK + "transfer-encoding: chunked\r\n\r\nxyz\r\nhello\r\n",
        OK + "transfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n",
        OK + "transfer-encoding: chunked\r\n\r\n5\r\nhelloXX3\r\n",
        OK + "content-length: many\r\n\r\nhello",
        OK + "content-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        OK + "content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello",
        OK + "transfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "<html>hello</html>",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\u0015\u0003\u0003\u0000\u0002\u0002\u0028",
        "\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000"
      })
  void whatIsNotHttpIsAProtocolFaultEvenIfTheBackendStays(String raw) throws Exception {
    byte[] bytes = raw.getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(HttpFault.Kind.PROTOCOL, answered(bytes, true).fault().kind());
  }

  @Test
  void headBeyondTheLimitIsAProtocolFault() throws Exception {
    String large = OK + "x-large: " + "a".repeat(70_000) + "\r\n\r\n";
    assertEquals(
        HttpFault.Kind.PROTOCOL,
        answered(large.getBytes(StandardCharsets.US_ASCII), true).fault().kind());
  }

  @Test
  void headBelowTheLimitIsTaken() throws Exception {
    assertEquals("ok", answered(OK + "x-large: " + "a".repeat(60_000) + "\r\n\r\nok").text());
  }

  @Test
  void interimAnswersAreSkipped() throws Exception {
    String raw =
        "HTTP/1.1 100 Continue\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
            + "HTTP/1.1 429 Slow\r\nContent-Type: Application/JSON; charset=utf-8\r\n"
            + "Retry-After: 7\r\ncontent-length: 2\r\n\r\nno";
    Recorder recorder = answered(raw);
    assertEquals("no", recorder.text());
    assertEquals(new ResponseHead(429, "application/json", "7"), recorder.head);
    assertEquals(java.util.List.of("sent", "head", "body", "end"), recorder.calls);
  }

  @Test
  void emptyAnswersEnd() throws Exception {
    assertEquals("", answered("HTTP/1.1 204 No Content\r\n\r\n").text());
    assertEquals("", answered("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n").text());
  }

  @Test
  void chunkedAnswerMayBeSplitAtEveryByte() throws Exception {
    byte[] raw =
        (OK
                + "transfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n"
                + "6;ext=1\r\nhello \r\n5\r\nworld\r\n0\r\nx-trailer: 1\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.socket.setTcpNoDelay(true);
              for (int split = 1; !peer.request().isEmpty(); split++) {
                peer.send(java.util.Arrays.copyOf(raw, split % raw.length));
                Thread.yield();
                peer.send(java.util.Arrays.copyOfRange(raw, split % raw.length, raw.length));
              }
            })) {
      HttpClient client = fixture.client(server.port());
      for (int i = 0; i < raw.length; i++) {
        assertEquals("hello world", fixture.get(client).text());
      }
      assertEquals(1, server.accepted());
    }
  }

  @Test
  void largeBodyArrivesWholeInBoundedPieces() throws Exception {
    int size = 5_000_000;
    byte[] raw =
        (OK + "content-length: " + size + "\r\n\r\n" + "z".repeat(size))
            .getBytes(StandardCharsets.US_ASCII);
    Recorder recorder = answered(raw, true);
    // The connection goes idle and is then closed by its timer, or by the server's end.
    assertEquals(size, recorder.text().length());
  }

  @Test
  void requestIsWrittenInOneFixedOrder() throws Exception {
    java.util.concurrent.CompletableFuture<String> seen =
        new java.util.concurrent.CompletableFuture<>();
    try (RawServer server =
        new RawServer(
            peer -> {
              seen.complete(peer.request());
              peer.answer("ok");
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = new Recorder();
      fixture.post(client, 3, recorder);
      recorder.text();
      assertEquals(
          "POST /v1/models HTTP/1.1\r\nhost: 127.0.0.1:"
              + server.port()
              + "\r\naccept: application/json\r\ncontent-length: 3\r\nconnection: keep-alive\r\n\r\n",
          seen.get());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nb", "a\nb", "a\u0000", "\u00e9", "\u2028", "a\tb", "\u007f"})
  void headerValueThatCouldBreakTheHeadIsRefused(String value) {
    HttpClient client = fixture.client(1);
    HttpRequest request = new HttpRequest("GET", "/", Map.of("x-a", value), new byte[0]);
    assertThrows(
        IllegalArgumentException.class,
        () -> client.send(fixture.loops.next(), request, new Recorder()));
    assertEquals(0, client.counts().opened());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"host", "content-length", "X-Upper", "a b", "", "a:b", "expect", "upgrade"})
  void headerNameOfTheClientsOwnOrNoneIsRefused(String name) {
    HttpClient client = fixture.client(1);
    HttpRequest request = new HttpRequest("GET", "/", Map.of(name, "v"), new byte[0]);
    assertThrows(
        IllegalArgumentException.class,
        () -> client.send(fixture.loops.next(), request, new Recorder()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "", "/a b", "/a\r\nb", "/\u00e9"})
  void pathThatCouldBreakTheHeadIsRefused(String path) {
    HttpClient client = fixture.client(1);
    HttpRequest request = new HttpRequest("GET", path, Map.of(), new byte[0]);
    assertThrows(
        IllegalArgumentException.class,
        () -> client.send(fixture.loops.next(), request, new Recorder()));
  }
}
