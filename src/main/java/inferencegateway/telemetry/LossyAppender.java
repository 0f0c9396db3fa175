package inferencegateway.telemetry;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.concurrent.atomic.LongAdder;

/**
 * Hands lines to a thread of its own and never waits. While a fifth of its places or less are free,
 * only warnings and errors get one.
 */
final class LossyAppender extends AsyncAppender {

  private static final int PLACES = 8192;
  private static final int KEPT_FOR_WARNINGS = PLACES / 5;
  private static final int FLUSH_MILLIS = 1000;

  /** Counts from any thread. */
  private final LongAdder dropped = new LongAdder();

  LossyAppender() {
    setName("stderr");
    setQueueSize(PLACES);
    setDiscardingThreshold(0);
    setNeverBlock(true);
    setMaxFlushTime(FLUSH_MILLIS);
  }

  /** A line that loses the race for the last place is dropped uncounted; that does not matter. */
  @Override
  protected void append(ILoggingEvent event) {
    int free = getRemainingCapacity();
    if (free == 0
        || (free <= KEPT_FOR_WARNINGS && !event.getLevel().isGreaterOrEqual(Level.WARN))) {
      dropped.increment();
    } else {
      super.append(event);
    }
  }

  long dropped() {
    return dropped.sum();
  }
}
