package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static inferencegateway.http.ClientFixture.tcp;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionReuseTest {
  private final ClientFixture fixture = new ClientFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static void serveAll(RawServer.Peer peer) throws Exception {
    while (!peer.request().isEmpty()) {
      peer.answer("ok");
    }
  }

  @Test
  void secondRequestTravelsOnTheSameConnection() throws Exception {
    try (RawServer server = new RawServer(ConnectionReuseTest::serveAll)) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      Recorder second = new Recorder();
      Exchange exchange = fixture.get(client, second);
      assertEquals("ok", second.text());
      assertEquals(1, server.accepted());
      assertEquals(new Exchange.ConnectionUse(true, 1), exchange.connectionUse());
      assertEquals(1, client.counts().reused());
    }
  }

  /** The bytes were in order; what they said was not. */
  @Test
  void connectionThatTheHandlerGivesUpAtTheEndServesNobodyElse() throws Exception {
    try (RawServer server = new RawServer(ConnectionReuseTest::serveAll)) {
      HttpClient client = fixture.client(server.port());
      CompletableFuture<Exchange> own = new CompletableFuture<>();
      Recorder doubting =
          new Recorder() {
            @Override
            public void onEnd() {
              own.join().abort();
              super.onEnd();
            }
          };
      own.complete(fixture.get(client, doubting));
      assertEquals("ok", doubting.text());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(2, server.accepted());
      eventually("one is closed", () -> client.counts().open() == 1);
    }
  }

  @Test
  void handlerIsToldInOrder() throws Exception {
    try (RawServer server = new RawServer(ConnectionReuseTest::serveAll)) {
      Recorder recorder = fixture.get(fixture.client(server.port()));
      recorder.text();
      assertEquals(List.of("sent", "head", "body", "end"), recorder.calls);
    }
  }

  @Test
  void idleConnectionIsClosedByTheTimer() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              serveAll(peer);
              end.countDown();
            })) {
      HttpClient client =
          fixture.client(
              tcp("127.0.0.1", server.port(), false),
              ClientFixture.CONNECT,
              Duration.ofMillis(100));
      assertEquals("ok", fixture.get(client).text());
      RawServer.Peer.await(end);
      assertEquals("ok", fixture.get(client).text());
      assertEquals(2, server.accepted());
      assertEquals(0, client.counts().staleReplays());
    }
  }

  @Test
  void idleConnectionThatTheBackendClosesIsForgotten() throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok");
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      eventually("closed", () -> client.counts().open() == 0);
      assertEquals("ok", fixture.get(client).text());
      assertEquals(0, client.counts().staleReplays());
    }
  }

  @Test
  void bytesOnAnIdleConnectionDiscardIt() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok");
              RawServer.Peer.await(go);
              if (peer.number == 1) {
                peer.send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil");
              }
              serveAll(peer);
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      go.countDown();
      eventually("discarded", () -> client.counts().unsolicited() == 1);
      assertEquals("ok", fixture.get(client).text());
      assertEquals(2, server.accepted());
    }
  }

  @Test
  void connectionCloseIsHonoured() throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
              assertTrue(peer.endsWithin(5_000));
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      eventually("closed", () -> client.counts().open() == 0);
      assertEquals("ok", fixture.get(client).text());
      assertEquals(2, server.accepted());
    }
  }

  @Test
  void staleConnectionIsReplayedOnceAfterFin() throws Exception {
    staleIsReplayed(false);
  }

  @Test
  void staleConnectionIsReplayedOnceAfterReset() throws Exception {
    staleIsReplayed(true);
  }

  private void staleIsReplayed(boolean reset) throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok" + peer.number);
              if (peer.number == 1) {
                peer.request();
                if (reset) {
                  peer.reset();
                }
              } else {
                serveAll(peer);
              }
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok1", fixture.get(client).text());
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.post(client, 100, recorder);
      assertEquals("ok2", recorder.text());
      assertEquals(new Exchange.ConnectionUse(false, 2), exchange.connectionUse());
      assertEquals(1, client.counts().staleReplays());
      assertEquals(2, server.accepted());
    }
  }

  /** The request may be what killed it. */
  @Test
  void connectionThatTheBackendWorkedOnIsNotReplayed() throws Exception {
    CountDownLatch worked = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok");
              peer.request();
              CompletableFuture.delayedExecutor(400, TimeUnit.MILLISECONDS)
                  .execute(worked::countDown);
              RawServer.Peer.await(worked);
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      assertEquals(HttpFault.Kind.NO_RESPONSE, recorder.fault().kind());
      assertEquals(new Exchange.ConnectionUse(true, 1), exchange.connectionUse());
      assertEquals(0, client.counts().staleReplays());
      assertEquals(1, server.accepted());
    }
  }

  @Test
  void replayIsNotReplayedAgain() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              requests.incrementAndGet();
              if (peer.number == 1) {
                peer.answer("ok");
                peer.request();
                requests.incrementAndGet();
              }
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(HttpFault.Kind.NO_RESPONSE, fixture.get(client).fault().kind());
      assertEquals(3, requests.get());
      assertEquals(2, server.accepted());
    }
  }

  @Test
  void replayLeavesTheOtherIdleConnectionsAside() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch firstAnswered = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              both.countDown();
              RawServer.Peer.await(both);
              if (peer.number == 2) {
                RawServer.Peer.await(firstAnswered);
              }
              peer.answer("ok" + peer.number);
              if (peer.number <= 2) {
                peer.request(); // And closes without an answer.
              }
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder one = fixture.get(client);
      Recorder two = fixture.get(client);
      CompletableFuture<Object> any = new CompletableFuture<>();
      RawServer.daemon(
          () -> {
            try {
              eventually("one", () -> one.endings.get() + two.endings.get() > 0);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            firstAnswered.countDown();
            any.complete("");
          });
      any.join();
      one.text();
      two.text();
      assertEquals("ok3", fixture.get(client).text());
      assertEquals(1, client.counts().staleReplays());
    }
  }

  @Test
  void freshConnectionIsNeverReplayed() throws Exception {
    try (RawServer server = new RawServer(RawServer.Peer::request)) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = fixture.get(client);
      assertEquals(HttpFault.Kind.NO_RESPONSE, recorder.fault().kind());
      assertEquals(1, server.accepted());
      assertEquals(List.of("sent", "fault"), recorder.calls);
    }
  }

  @Test
  void oneByteOfAnAnswerForbidsTheReplay() throws Exception {
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok");
              peer.request();
              peer.send("H");
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(HttpFault.Kind.CUT, fixture.get(client).fault().kind());
      assertEquals(1, server.accepted());
    }
  }

  @Test
  void garbageAfterAnAnswerClosesTheConnection() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokgarbage");
              if (peer.endsWithin(5_000)) {
                closed.countDown();
              }
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      RawServer.Peer.await(closed);
    }
  }

  @Test
  void earlyAnswerIsDeliveredAndTheConnectionNotReused() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong");
              closed.countDown();
              if (peer.number > 1) {
                peer.endsWithin(5_000);
              }
            })) {
      HttpClient client = fixture.client(server.port());
      for (int i = 0; i < 2; i++) { // The first closes at once, the second lingers.
        Recorder recorder = new Recorder();
        fixture.post(client, 30_000_000, recorder);
        assertEquals("long", recorder.text());
        assertEquals(413, recorder.head.status());
        assertEquals("sent", recorder.calls.get(0));
        eventually("closed", () -> client.counts().open() == 0);
      }
      assertEquals(2, server.accepted());
      assertFalse(client.counts().reused() > 0);
    }
  }

  @Test
  void longBodyArrivesWholeAndTheConnectionIsReused() throws Exception {
    byte[] body = new byte[3_000_001];
    new Random(1).nextBytes(body);
    CompletableFuture<byte[]> seen = new CompletableFuture<>();
    try (RawServer server =
        new RawServer(
            peer -> {
              seen.complete(peer.requestBody());
              peer.answer("ok");
              serveAll(peer);
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = new Recorder();
      HttpRequest request = new HttpRequest("POST", "/v1/x", Map.of(), body);
      client.send(fixture.loops.next(), request, recorder);
      assertEquals("ok", recorder.text());
      assertArrayEquals(body, seen.get());
      assertEquals("ok", fixture.get(client).text());
      assertEquals(1, server.accepted());
    }
  }
}
