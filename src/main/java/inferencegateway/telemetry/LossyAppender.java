package inferencegateway.telemetry;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Hands lines to a thread of its own and never waits. While a fifth of its places or less are free,
 * only warnings and errors get one. A line of its own tells how many were lost, once half of the
 * places are free again and lines can be written.
 */
final class LossyAppender extends AsyncAppender {

  static final String NAME = "stderr";

  private static final int PLACES = 8192;
  private static final int KEPT_FOR_WARNINGS = PLACES / 5;
  private static final int FLUSH_MILLIS = 1000;

  /** Counts from any thread. */
  private final LongAdder dropped = new LongAdder();

  private final AtomicLong told = new AtomicLong();
  private final ErrorOutput output;

  /**
   * @param output where all ends
   */
  LossyAppender(ErrorOutput output) {
    this.output = output;
    setName(NAME);
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
      if (free > PLACES / 2 && !output.isFailing()) {
        tellDropped();
      }
      super.append(event);
    }
  }

  private void tellDropped() {
    long now = dropped();
    long before = told.get();
    if (now > before && told.compareAndSet(before, now)) {
      // Not through the logger: an appender that is writing takes no line from itself.
      Logger own = ((LoggerContext) getContext()).getLogger(LossyAppender.class);
      String text =
          (now - before)
              + " log lines were dropped: they came faster than they were read, or could not be"
              + " written";
      super.append(
          new LoggingEvent(LossyAppender.class.getName(), own, Level.WARN, text, null, null));
    }
  }

  long dropped() {
    return dropped.sum() + output.lost();
  }
}
