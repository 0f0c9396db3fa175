package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static inferencegateway.http.ClientFixture.tcp;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectTest {
  private final ClientFixture fixture = new ClientFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static void serve(RawServer.Peer peer) throws Exception {
    while (!peer.request().isEmpty()) {
      peer.answer("ok");
    }
  }

  private static int closedPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static RawServer listening(String address) throws Exception {
    try {
      return new RawServer(
          InetAddress.getByName(address), ServerSocketFactory.getDefault(), ConnectTest::serve);
    } catch (java.io.IOException none) {
      Assumptions.abort("this host has no " + address);
      throw none;
    }
  }

  @Test
  void refusedEverywhereIsAConnectFault() throws Exception {
    HttpClient client = fixture.client("localhost", closedPort());
    Recorder recorder = fixture.get(client);
    assertEquals(HttpFault.Kind.CONNECT, recorder.fault().kind());
    assertEquals(1, recorder.endings.get());
    eventually("no connection left", () -> client.counts().open() == 0);
  }

  @Test
  void localhostIsFoundOnIpv4() throws Exception {
    try (RawServer server = listening("127.0.0.1")) {
      assertEquals("ok", fixture.get(fixture.client("localhost", server.port())).text());
    }
  }

  @Test
  void localhostIsFoundOnIpv6() throws Exception {
    try (RawServer server = listening("::1")) {
      assertEquals("ok", fixture.get(fixture.client("localhost", server.port())).text());
      assertEquals("ok", fixture.get(fixture.client("::1", server.port())).text());
    }
  }

  @Test
  void oneAddressIsUsedWhateverTheNameSays() throws Exception {
    try (RawServer server = listening("127.0.0.1")) {
      HttpClient client =
          fixture.client(
              tcp("localhost", server.port(), false),
              ClientFixture.CONNECT,
              new BackendLink.OneAddress(InetAddress.getByName("::1")));
      assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
      HttpClient right =
          fixture.client(
              tcp("no.such.name", server.port(), false),
              ClientFixture.CONNECT,
              new BackendLink.OneAddress(InetAddress.getByName("127.0.0.1")));
      assertEquals("ok", fixture.get(right).text());
    }
  }

  @Test
  void nextAddressIsTriedWhenOneRefuses() throws Exception {
    try (RawServer server = listening("127.0.0.1")) {
      HttpClient client =
          fixture.client(
              tcp("backend.test", server.port(), false),
              ClientFixture.CONNECT,
              host -> addresses("::1", "127.0.0.1"));
      assertEquals("ok", fixture.get(client).text());
    }
  }

  @Test
  void nextAddressIsTriedWhileOneKeepsSilent() throws Exception {
    try (FullBacklog full = FullBacklog.openOrSkip();
        ServerSocket other = new ServerSocket(full.port(), 5, InetAddress.getByName("127.0.0.2"))) {
      RawServer.daemon(
          () -> {
            try (java.net.Socket socket = other.accept()) {
              RawServer.Peer peer = new RawServer.Peer(socket, 1);
              peer.request();
              peer.answer("second");
              peer.endsWithin(5_000);
            } catch (Exception e) {
              // The client's side tells.
            }
          });
      HttpClient client =
          fixture.client(
              tcp("backend.test", full.port(), false),
              ClientFixture.CONNECT,
              host -> addresses("127.0.0.1", "127.0.0.2"));
      assertEquals("second", fixture.get(client).text());
      eventually("the silent one is closed", () -> client.counts().open() == 1);
    }
  }

  private static InetAddress[] addresses(String... literals) throws UnknownHostException {
    InetAddress[] all = new InetAddress[literals.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(literals[i]);
    }
    return all;
  }

  @Test
  void silentAddressEndsAtTheConnectTimeout() throws Exception {
    try (FullBacklog full = FullBacklog.openOrSkip()) {
      timesOut(tcp("127.0.0.1", full.port(), false));
    }
  }

  @Test
  void silentHandshakeEndsAtTheConnectTimeout() throws Exception {
    try (RawServer server = new RawServer(peer -> peer.endsWithin(10_000))) {
      timesOut(tcp("127.0.0.1", server.port(), true));
    }
  }

  private void timesOut(inferencegateway.config.BackendUrl backend) throws Exception {
    HttpClient client = fixture.client(backend, Duration.ofMillis(300), ClientFixture.IDLE);
    long start = System.nanoTime();
    Recorder recorder = fixture.get(client);
    assertEquals(HttpFault.Kind.CONNECT_TIMEOUT, recorder.fault().kind());
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertTrue(millis >= 290 && millis < 2_000, "after " + millis + " ms");
    eventually("no connection left", () -> client.counts().open() == 0);
  }

  @Test
  void silentNameServiceEndsAtTheConnectTimeout() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    HttpClient client =
        fixture.client(
            tcp("backend.test", 1, false),
            Duration.ofMillis(200),
            host -> {
              AbortTest.awaitQuietly(over);
              throw new UnknownHostException(host);
            });
    assertEquals(HttpFault.Kind.CONNECT_TIMEOUT, fixture.get(client).fault().kind());
    over.countDown();
  }

  @Test
  void unknownNameIsAConnectFault() throws Exception {
    HttpClient client =
        fixture.client(
            tcp("backend.test", 1, false),
            ClientFixture.CONNECT,
            host -> {
              throw new UnknownHostException(host);
            });
    assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
  }

  @Test
  void nameIsLookedUpOffTheLoopAndRemembered() throws Exception {
    AtomicInteger lookups = new AtomicInteger();
    AtomicReference<String> thread = new AtomicReference<>();
    try (RawServer server = listening("127.0.0.1")) {
      HttpClient client =
          fixture.client(
              tcp("backend.test", server.port(), false),
              ClientFixture.CONNECT,
              host -> {
                lookups.incrementAndGet();
                thread.set(Thread.currentThread().getName());
                return addresses("127.0.0.1");
              });
      assertEquals("ok", fixture.get(client).text());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(1, lookups.get());
      assertEquals("backend-names", thread.get());
    }
  }

  @Test
  void closedClientTakesNoRequests() throws Exception {
    try (RawServer server = listening("127.0.0.1")) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      client.close();
      eventually("no connection left", () -> client.counts().open() == 0);
      assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
    }
  }

  @Test
  void loopOfAnotherGroupIsRefused() {
    HttpClient client = fixture.client(1);
    try (Loops others = new Loops("other", 1)) {
      others.start();
      HttpRequest request = ClientFixture.request("GET", 0);
      assertThrows(
          IllegalArgumentException.class,
          () -> client.send(others.next(), request, new Recorder()));
    }
  }

  @Test
  void unixSocketIsSpokenTo(@TempDir Path folder) throws Exception {
    unixSocket(fixture, folder.resolve("epoll.sock"));
  }

  @Test
  void unixSocketIsSpokenToWithoutEpoll(@TempDir Path folder) throws Exception {
    try (ClientFixture nio = new ClientFixture(new Loops("nio", 1, false))) {
      unixSocket(nio, folder.resolve("nio.sock"));
    }
  }

  private static void unixSocket(ClientFixture fixture, Path path) throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
      RawServer.daemon(() -> answerTwice(server));
      HttpClient client =
          fixture.client(
              ClientFixture.unix(path.toString()), ClientFixture.CONNECT, ClientFixture.IDLE);
      assertEquals("ok", fixture.get(client).text());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(1, client.counts().reused());
    }
  }

  private static void answerTwice(ServerSocketChannel server) {
    try (SocketChannel peer = server.accept()) {
      for (int i = 0; i < 2; i++) {
        peer.read(ByteBuffer.allocate(4_096));
        String answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        peer.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
      }
      peer.read(ByteBuffer.allocate(1));
    } catch (java.io.IOException e) {
      // The client's side tells.
    }
  }

  @Test
  void missingUnixSocketIsAConnectFault(@TempDir Path folder) throws Exception {
    HttpClient client =
        fixture.client(
            ClientFixture.unix(folder.resolve("none.sock").toString()),
            ClientFixture.CONNECT,
            ClientFixture.IDLE);
    assertEquals(HttpFault.Kind.CONNECT, fixture.get(client).fault().kind());
  }

  @Test
  void withoutEpollEverythingIsTheSame() throws Exception {
    try (ClientFixture nio = new ClientFixture(new Loops("nio", 1, false));
        RawServer server = listening("127.0.0.1")) {
      HttpClient client = nio.client(server.port());
      assertEquals("ok", nio.get(client).text());
      assertEquals("ok", nio.get(client).text());
      assertEquals(1, server.accepted());
      assertEquals(
          HttpFault.Kind.CONNECT, nio.get(nio.client("localhost", closedPort())).fault().kind());
    }
  }
}
