package inferencegateway.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What happens to bytes in one direction of a {@link TcpProxy}. Settings may be changed at any time
 * and act from the next piece on.
 */
public final class TcpFaults {
  private boolean paused;
  private Duration delay = Duration.ZERO;
  private int bytesPerSecond = Integer.MAX_VALUE;
  private int segment = Integer.MAX_VALUE;
  private long forwarded;

  /**
   * Sends nothing more and reads at most the one piece it was waiting for, so that the sender's
   * buffers fill.
   */
  public synchronized void pause() {
    paused = true;
  }

  public synchronized void resume() {
    paused = false;
    notifyAll();
  }

  /** Holds each piece that was read for so long; what arrives meanwhile waits behind it. */
  public synchronized void delay(Duration time) {
    delay = time;
  }

  public synchronized void throttle(int bytesEachSecond) {
    bytesPerSecond = bytesEachSecond;
  }

  /** Cuts the bytes into TCP segments of at most so many, 1 and up. */
  public synchronized void cut(int bytesPerSegment) {
    segment = bytesPerSegment;
  }

  /** Takes delay, throttle and cut back. */
  public synchronized void clear() {
    delay = Duration.ZERO;
    bytesPerSecond = Integer.MAX_VALUE;
    segment = Integer.MAX_VALUE;
    notifyAll();
  }

  /** Bytes forwarded on all connections. */
  public synchronized long forwarded() {
    return forwarded;
  }

  synchronized void awaitFlow() throws InterruptedException {
    while (paused) {
      wait();
    }
  }

  void forward(byte[] bytes, OutputStream out) throws IOException, InterruptedException {
    hold(delayNanos());
    int at = 0;
    while (at < bytes.length) {
      awaitFlow();
      int size = Math.min(segment(), bytes.length - at);
      // Counted first: who has received a byte finds it counted.
      count(size);
      out.write(bytes, at, size);
      out.flush();
      at += size;
      hold(nanosFor(size));
    }
  }

  /** A plain timed wait: this is the network's time, not a test's. */
  private static void hold(long nanos) throws InterruptedException {
    if (nanos > 0) {
      TimeUnit.NANOSECONDS.sleep(nanos);
    }
  }

  private synchronized long delayNanos() {
    return delay.toNanos();
  }

  /** Throttled bytes leave twenty times a second, not once. */
  private synchronized int segment() {
    return Math.min(segment, Math.max(1, bytesPerSecond / 20));
  }

  private synchronized long nanosFor(int size) {
    return bytesPerSecond == Integer.MAX_VALUE ? 0 : size * 1_000_000_000L / bytesPerSecond;
  }

  private synchronized void count(int size) {
    forwarded += size;
  }
}
