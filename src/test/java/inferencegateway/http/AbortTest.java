package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static inferencegateway.http.ClientFixture.tcp;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AbortTest {
  /** What the product promises, seen from the backend. */
  private static final int PROMISED_MILLIS = 100;

  private final ClientFixture fixture = new ClientFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /**
   * Aborts once {@code reached}, and measures until the server has seen the end. A busy machine may
   * be late once in a while; it is not late five times.
   */
  private void abortedIsSeen(RawServer.Script before, Function<Recorder, CountDownLatch> reached)
      throws Exception {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < 5 && fastest > PROMISED_MILLIS; i++) {
      fastest = Math.min(fastest, abortedAfter(before, reached));
    }
    assertTrue(fastest <= PROMISED_MILLIS, "took " + fastest + " ms");
  }

  private long abortedAfter(RawServer.Script before, Function<Recorder, CountDownLatch> reached)
      throws Exception {
    CompletableFuture<Long> seen = new CompletableFuture<>();
    try (RawServer server =
        new RawServer(
            peer -> {
              before.run(peer);
              if (peer.endsWithin(10_000)) {
                seen.complete(System.nanoTime());
              }
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.post(client, 100, recorder);
      RawServer.Peer.await(reached.apply(recorder));
      long start = System.nanoTime();
      exchange.abort();
      long took = seen.get(10, TimeUnit.SECONDS) - start;
      exchange.abort();
      eventually("no connection left", () -> client.counts().open() == 0);
      assertEquals(0, recorder.endings.get(), () -> "told: " + recorder.calls);
      assertEquals(1, client.counts().aborted());
      return TimeUnit.NANOSECONDS.toMillis(took);
    }
  }

  @Test
  void whileWaitingForTheHead() throws Exception {
    abortedIsSeen(RawServer.Peer::request, recorder -> recorder.sent);
  }

  @Test
  void afterTheHead() throws Exception {
    abortedIsSeen(
        peer -> {
          peer.request();
          peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        },
        recorder -> recorder.headSeen);
  }

  @Test
  void insideTheBody() throws Exception {
    abortedIsSeen(
        peer -> {
          peer.request();
          peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
        },
        recorder -> recorder.bodySeen);
  }

  @Test
  void onAReusedConnection() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.answer("ok");
              peer.request();
              second.countDown();
              if (peer.endsWithin(5_000)) {
                ended.countDown();
              }
            })) {
      HttpClient client = fixture.client(server.port());
      assertEquals("ok", fixture.get(client).text());
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      RawServer.Peer.await(second);
      exchange.abort();
      RawServer.Peer.await(ended);
      assertEquals(1, server.accepted());
      assertEquals(0, recorder.endings.get());
    }
  }

  @Test
  void whilePausedWithTheSocketFull() throws Exception {
    CompletableFuture<Boolean> failed = new CompletableFuture<>();
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.request();
              peer.send("HTTP/1.1 200 OK\r\n\r\n");
              byte[] piece = new byte[64 * 1024];
              try {
                for (int i = 0; i < 10_000; i++) {
                  peer.send(piece);
                }
                failed.complete(false);
              } catch (java.io.IOException e) {
                failed.complete(true);
              }
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      exchange.pause();
      exchange.resume();
      RawServer.Peer.await(recorder.bodySeen);
      exchange.pause();
      exchange.abort();
      assertTrue(failed.get(5, TimeUnit.SECONDS));
      eventually("no connection left", () -> client.counts().open() == 0);
    }
  }

  @Test
  void whileResolving() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    HttpClient client =
        fixture.client(
            tcp("backend.invalid", 1, false),
            ClientFixture.CONNECT,
            host -> {
              asked.countDown();
              awaitQuietly(answer);
              return new InetAddress[] {InetAddress.getLoopbackAddress()};
            });
    Recorder recorder = new Recorder();
    Exchange exchange = fixture.get(client, recorder);
    RawServer.Peer.await(asked);
    exchange.abort();
    eventually("aborted", () -> client.counts().aborted() == 1);
    answer.countDown();
    Recorder after = fixture.get(client);
    assertEquals(HttpFault.Kind.CONNECT, after.fault().kind());
    assertEquals(0, recorder.endings.get());
    assertEquals(1, client.counts().opened(), "only the second exchange has dialled");
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whileConnecting() throws Exception {
    try (FullBacklog full = FullBacklog.openOrSkip()) {
      HttpClient client =
          fixture.client(
              tcp("127.0.0.1", full.port(), false), Duration.ofSeconds(10), ClientFixture.IDLE);
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      eventually("dialling", () -> client.counts().open() == 1);
      exchange.abort();
      eventually("no connection left", () -> client.counts().open() == 0);
      assertEquals(0, recorder.calls.size());
    }
  }

  @Test
  void whileShakingHands() throws Exception {
    CountDownLatch hello = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            peer -> {
              peer.socket.getInputStream().read();
              hello.countDown();
              if (peer.endsWithin(5_000)) {
                ended.countDown();
              }
            })) {
      HttpClient client =
          fixture.client(
              tcp("127.0.0.1", server.port(), true), ClientFixture.CONNECT, ClientFixture.IDLE);
      Recorder recorder = new Recorder();
      Exchange exchange = fixture.get(client, recorder);
      RawServer.Peer.await(hello);
      exchange.abort();
      RawServer.Peer.await(ended);
      eventually("no connection left", () -> client.counts().open() == 0);
      assertEquals(0, recorder.calls.size());
    }
  }

  @Test
  void fromWithinEveryCallback() throws Exception {
    for (String when : new String[] {"sent", "head", "body"}) {
      try (RawServer server =
          new RawServer(
              peer -> {
                peer.request();
                peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
                peer.endsWithin(5_000);
              })) {
        HttpClient client = fixture.client(server.port());
        AbortingRecorder recorder = new AbortingRecorder(when);
        recorder.exchange.complete(fixture.get(client, recorder));
        eventually("aborted", () -> client.counts().aborted() == 1);
        eventually("no connection left", () -> client.counts().open() == 0);
        assertEquals(when, recorder.calls.get(recorder.calls.size() - 1));
      }
    }
  }

  private static final class AbortingRecorder extends Recorder {
    final CompletableFuture<Exchange> exchange = new CompletableFuture<>();
    private final String when;

    AbortingRecorder(String when) {
      this.when = when;
    }

    private void at(String now) {
      if (now.equals(when)) {
        exchange.join().abort();
      }
    }

    @Override
    public void onSent() {
      super.onSent();
      at("sent");
    }

    @Override
    public void onHead(ResponseHead head) {
      super.onHead(head);
      at("head");
    }

    @Override
    public void onBody(byte[] bytes, int offset, int length) {
      super.onBody(bytes, offset, length);
      at("body");
    }
  }

  @Test
  void twoHundredTimesAtRandomLeavesNothing() throws Exception {
    Random random = new Random(42);
    try (RawServer server =
        new RawServer(
            peer -> {
              while (!peer.request().isEmpty()) {
                peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                for (int i = 0; i < 20; i++) {
                  peer.send("5\r\nhello\r\n");
                }
                peer.send("0\r\n\r\n");
              }
            })) {
      HttpClient client = fixture.client(server.port());
      Recorder[] recorders = new Recorder[200];
      for (int i = 0; i < recorders.length; i++) {
        recorders[i] = new Recorder();
        Exchange exchange = fixture.post(client, random.nextInt(2_000), recorders[i]);
        long until = System.nanoTime() + random.nextInt(1_500_000);
        while (System.nanoTime() < until && recorders[i].endings.get() == 0) {
          Thread.onSpinWait();
        }
        exchange.abort();
      }
      CountDownLatch settled = new CountDownLatch(1);
      fixture.loops.next().execute(settled::countDown);
      RawServer.Peer.await(settled);
      int endings = 0;
      for (Recorder recorder : recorders) {
        assertTrue(recorder.endings.get() <= 1);
        endings += recorder.endings.get();
      }
      assertEquals(recorders.length, endings + client.counts().aborted());
      client.close();
      eventually("no connection left", () -> client.counts().open() == 0);
    }
  }
}
