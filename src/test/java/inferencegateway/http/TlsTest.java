package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static inferencegateway.http.ClientFixture.tcp;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static SSLContext serverContext;
  private static Path authorities;
  private final ClientFixture fixture = new ClientFixture();

  /** A certificate for localhost, 127.0.0.1 and ::1 that nobody but these tests trusts. */
  @BeforeAll
  static void makeCertificate(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("test.p12");
    char[] password = "changeit".toCharArray();
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "test",
                "-keyalg",
                "EC",
                "-dname",
                "CN=test",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-keystore",
                file.toString(),
                "-storepass",
                "changeit",
                "-storetype",
                "PKCS12")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.txt").toFile())
            .start();
    assertTrue(keytool.waitFor(60, TimeUnit.SECONDS));
    assertTrue(Files.exists(file), () -> "keytool made nothing");
    KeyStore keys = KeyStore.getInstance(file.toFile(), password);
    authorities = folder.resolve("test.pem");
    Files.writeString(
        authorities,
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(keys.getCertificate("test").getEncoded())
            + "\n-----END CERTIFICATE-----\n");
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password);
    serverContext = SSLContext.getInstance("TLS");
    serverContext.init(managers.getKeyManagers(), null, null);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** The script sees the plaintext; the raw socket below is the second argument. */
  private interface TlsScript {
    void run(RawServer.Peer secure, Socket below) throws Exception;
  }

  private static RawServer server(TlsScript script) throws Exception {
    return new RawServer(
        peer -> {
          SSLSocket secure =
              (SSLSocket)
                  serverContext
                      .getSocketFactory()
                      .createSocket(peer.socket, "localhost", peer.socket.getPort(), true);
          secure.setUseClientMode(false);
          script.run(new RawServer.Peer(secure, peer.number), peer.socket);
          secure.close();
        });
  }

  private static void serve(RawServer.Peer peer, Socket below) throws Exception {
    while (!peer.request().isEmpty()) {
      peer.answer("ok");
    }
  }

  private HttpClient client(String host, RawServer server) {
    return client(fixture, host, server);
  }

  private static HttpClient client(ClientFixture fixture, String host, RawServer server) {
    BackendUrl backend = tcp(host, server.port(), true);
    return fixture.client(
        backend,
        Duration.ofSeconds(5),
        name -> new InetAddress[] {InetAddress.getByName("127.0.0.1")},
        ClientFixture.tls(backend, new BackendTls(authorities, null, null, null)));
  }

  @Test
  void trustedBackendIsSpokenToAndReused() throws Exception {
    try (RawServer server = server(TlsTest::serve)) {
      for (String host : new String[] {"localhost", "127.0.0.1"}) {
        HttpClient client = client(host, server);
        assertEquals("ok", fixture.get(client).text());
        assertEquals("ok", fixture.get(client).text());
        assertEquals(1, client.counts().reused());
      }
    }
  }

  @Test
  void withoutEpollItIsTheSame() throws Exception {
    try (ClientFixture nio = new ClientFixture(new Loops("nio", 1, false));
        RawServer server = server(TlsTest::serve)) {
      assertEquals("ok", nio.get(client(nio, "localhost", server)).text());
    }
  }

  @Test
  void certificateOfNobodyKnownIsAConnectFault() throws Exception {
    try (RawServer server = server(TlsTest::serve)) {
      HttpClient client =
          fixture.client(
              tcp("localhost", server.port(), true), Duration.ofSeconds(5), ClientFixture.IDLE);
      assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
      eventually("no connection left", () -> client.counts().open() == 0);
    }
  }

  @Test
  void certificateForAnotherNameIsAConnectFault() throws Exception {
    try (RawServer server = server(TlsTest::serve)) {
      HttpClient client = client("backend.test", server);
      assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
    }
  }

  @Test
  void backendWithoutTlsIsAConnectFault() throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.socket.getInputStream().read();
              peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
              peer.endsWithin(5_000);
            })) {
      assertEquals(HttpFault.Kind.CONNECT, fixture.get(client("localhost", server)).fault().kind());
    }
  }

  @Test
  void backendThatWantsTlsIsAProtocolFaultInPlainText() throws Exception {
    try (RawServer server =
        server(
            (peer, below) -> {
              peer.request();
            })) {
      Recorder recorder = fixture.get(fixture.client("localhost", server.port()));
      assertEquals(HttpFault.Kind.PROTOCOL, recorder.fault().kind());
    }
  }

  @Test
  void bodyUntilCloseNeedsTheFarewell() throws Exception {
    for (boolean farewell : new boolean[] {true, false}) {
      try (RawServer server =
          server(
              (peer, below) -> {
                peer.request();
                peer.send(OK + "\r\npart");
                if (!farewell) {
                  below.close();
                }
              })) {
        Recorder recorder = fixture.get(client("localhost", server)).await();
        assertEquals("part", recorder.body());
        if (farewell) {
          assertEquals("part", recorder.text());
        } else {
          assertEquals(HttpFault.Kind.CUT, recorder.fault().kind());
        }
      }
    }
  }

  @Test
  void staleConnectionIsReplayedOnce() throws Exception {
    try (RawServer server =
        server(
            (peer, below) -> {
              peer.request();
              peer.answer("ok" + peer.number);
              peer.request();
              if (peer.number == 2) {
                peer.answer("more");
              }
            })) {
      HttpClient client = client("localhost", server);
      assertEquals("ok1", fixture.get(client).text());
      assertEquals("ok2", fixture.get(client).text());
      assertEquals("more", fixture.get(client).text());
      assertEquals(1, client.counts().staleReplays());
    }
  }

  @Test
  void abortIsSeenAtOnceInsideTheBody() throws Exception {
    CompletableFuture<Long> seen = new CompletableFuture<>();
    try (RawServer server =
        server(
            (peer, below) -> {
              peer.request();
              peer.send(OK + "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
              if (peer.endsWithin(10_000)) {
                seen.complete(System.nanoTime());
              }
            })) {
      HttpClient client = client("localhost", server);
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      RawServer.Peer.await(recorder.bodySeen);
      long start = System.nanoTime();
      exchange.abort();
      long took = seen.get(10, TimeUnit.SECONDS) - start;
      // TLS would wait for the peer's farewell for seconds; a busy machine is not that late.
      assertTrue(took < TimeUnit.MILLISECONDS.toNanos(500), "took " + took + " ns");
      eventually("no connection left", () -> client.counts().open() == 0);
    }
  }

  @Test
  void abortDoesNotWaitForABackendThatReadsNothing() throws Exception {
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    try (RawServer server =
        server(
            (peer, below) -> {
              peer.socket.getInputStream().read();
              begun.complete(true);
              over.get(10, TimeUnit.SECONDS);
            })) {
      HttpClient client = client("localhost", server);
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.post(client, 30_000_000, recorder);
      assertNotNull(begun.get(10, TimeUnit.SECONDS));
      long start = System.nanoTime();
      exchange.abort();
      eventually("no connection left", () -> client.counts().open() == 0);
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1));
      over.complete(true);
    }
  }
}
