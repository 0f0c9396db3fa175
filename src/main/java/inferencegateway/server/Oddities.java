package inferencegateway.server;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One line a minute at most about those who send to the page of metrics what is no request: anybody
 * who reaches it can. Nothing of what they sent is shown. Thread: the port's.
 */
final class Oddities {

  private static final Logger LOG = LoggerFactory.getLogger(Oddities.class);

  private static final long BETWEEN = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private long last;
  private boolean told;
  private long leftOut;

  Oddities(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void seen(@Nullable SocketAddress peer) {
    long now = nanoTime.getAsLong();
    if (told && now - last < BETWEEN) {
      leftOut++;
      return;
    }
    LoggingEventBuilder line = LOG.atInfo().addKeyValue("peer", peer);
    if (leftOut > 0) {
      line = line.addKeyValue("left_out", leftOut);
    }
    line.log("What came to metrics-listen was no HTTP request; its connection is closed");
    told = true;
    last = now;
    leftOut = 0;
  }
}
