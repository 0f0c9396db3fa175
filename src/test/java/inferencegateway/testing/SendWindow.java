package inferencegateway.testing;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How much the server lets us send. The reader gives, senders wait and take. */
final class SendWindow {
  private static final int DEFAULT = 65_535;
  private final Map<Integer, Long> streams = new HashMap<>();
  private long connection = DEFAULT;
  private int initial = DEFAULT;

  synchronized void open(int stream) {
    streams.put(stream, (long) initial);
  }

  /** The stream is over: whoever waits for room on it gets none. */
  synchronized void close(int stream) {
    streams.remove(stream);
    notifyAll();
  }

  synchronized void initial(int size) {
    int more = size - initial;
    streams.replaceAll((stream, window) -> window + more);
    initial = size;
    notifyAll();
  }

  synchronized void add(int stream, int bytes) {
    if (stream == 0) {
      connection += bytes;
    } else {
      streams.computeIfPresent(stream, (id, window) -> window + bytes);
    }
    notifyAll();
  }

  /** Room for 1 to {@code wanted} bytes, 0 when the stream is over. */
  synchronized int take(int stream, int wanted, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (streams.containsKey(stream)) {
      long room = Math.min(connection, streams.getOrDefault(stream, 0L));
      if (room > 0) {
        return spend(stream, (int) Math.min(room, wanted));
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("the server gave no window for " + limit);
      }
      wait(left / 1_000_000 + 1);
    }
    return 0;
  }

  private int spend(int stream, int bytes) {
    connection -= bytes;
    streams.computeIfPresent(stream, (id, window) -> window - bytes);
    return bytes;
  }
}
