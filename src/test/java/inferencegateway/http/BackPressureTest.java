package inferencegateway.http;

import static inferencegateway.http.ClientFixture.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BackPressureTest {
  private static final int PIECE = 64 * 1024;
  private static final int PIECES = 1_600;

  @Test
  void pauseHoldsTheBackendBackAndResumeLosesNothing() throws Exception {
    holdsBack(new ClientFixture());
  }

  @Test
  void pauseHoldsTheBackendBackWithoutEpollToo() throws Exception {
    holdsBack(new ClientFixture(new Loops("nio", 1, false)));
  }

  private static void holdsBack(ClientFixture used) throws Exception {
    AtomicLong written = new AtomicLong();
    try (ClientFixture fixture = used;
        RawServer server =
            new RawServer(
                peer -> {
                  peer.request();
                  peer.send(
                      "HTTP/1.1 200 OK\r\ncontent-length: " + (long) PIECE * PIECES + "\r\n\r\n");
                  for (int i = 0; i < PIECES; i++) {
                    peer.send(new byte[PIECE]);
                    written.addAndGet(PIECE);
                  }
                  peer.endsWithin(10_000);
                })) {
      HttpClient client = fixture.client(server.port());
      PausingCounter counter = new PausingCounter();
      counter.exchange = fixture.get(client, counter);
      RawServer.Peer.await(counter.paused);
      long stalledAt = stalled(written);
      assertTrue(stalledAt < (long) PIECE * PIECES, "the backend wrote all of it");
      assertTrue(counter.received.get() < 4_000_000, "received " + counter.received);
      counter.exchange.resume();
      RawServer.Peer.await(counter.ended);
      assertEquals((long) PIECE * PIECES, counter.received.get());
      eventually("kept for the next", () -> client.counts().open() == 1);
    }
  }

  /** Waits until the counter has stood still for a while. */
  private static long stalled(AtomicLong written) throws InterruptedException {
    long last = -1;
    long since = System.nanoTime();
    while (System.nanoTime() - since < TimeUnit.MILLISECONDS.toNanos(300)) {
      if (written.get() != last) {
        last = written.get();
        since = System.nanoTime();
      }
      Thread.onSpinWait();
    }
    return last;
  }

  private static final class PausingCounter implements ResponseHandler {
    final AtomicLong received = new AtomicLong();
    final CountDownLatch paused = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    volatile Exchange exchange;

    @Override
    public void onSent() {}

    @Override
    public void onHead(ResponseHead head) {
      while (exchange == null) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void onBody(byte[] bytes, int offset, int length) {
      if (received.addAndGet(length) > 200_000 && paused.getCount() > 0) {
        exchange.pause();
        paused.countDown();
      }
    }

    @Override
    public void onReadEnd() {}

    @Override
    public void onEnd() {
      ended.countDown();
    }

    @Override
    public void onFault(HttpFault fault) {
      throw new AssertionError(fault.toString());
    }
  }
}
