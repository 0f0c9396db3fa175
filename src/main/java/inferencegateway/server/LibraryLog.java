package inferencegateway.server;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Keeps callers from filling our log through the library's.
 *
 * <p>Bytes that are no HTTP/2, a missing {@code te} header or an unreadable {@code grpc-timeout}
 * each make it write warnings or whole stack traces, as often as a caller likes. A broken
 * connection becomes one DEBUG line; the warnings come without trace, one a minute at most, with
 * the number left out. What the caller sent is cut short, and not shown at all for a connection.
 */
public final class LibraryLog {

  private static final org.slf4j.Logger log = LoggerFactory.getLogger(LibraryLog.class);

  private static final String NETTY = "io.grpc.netty.shaded.io.grpc.netty.";
  private static final long QUIET_NANOS = 60_000_000_000L;
  private static final int LONGEST = 300;

  /** Held here: {@code java.util.logging} forgets loggers, and their filters, that nobody holds. */
  private final List<Logger> held =
      List.of(
          Logger.getLogger(NETTY + "NettyServerTransport.connections"),
          Logger.getLogger(NETTY + "NettyServerHandler"));

  /** Once, before the first listener starts; lasts as long as this object is held. */
  public void quieten() {
    held.get(0).setFilter(LibraryLog::connectionFailed);
    held.get(1).setFilter(new OneAMinute());
  }

  private static boolean connectionFailed(LogRecord record) {
    log.debug("A caller's connection failed: {}", withoutReceivedBytes(record.getThrown()));
    return false;
  }

  /** The library puts what it received behind the first colon: a request line, a hex dump. */
  private static String withoutReceivedBytes(@Nullable Throwable thrown) {
    String message = thrown == null ? null : thrown.getMessage();
    return message == null ? String.valueOf(thrown) : message.split(":", 2)[0];
  }

  private static final class OneAMinute implements Filter {

    /** When the next record may pass; whichever loop moves it forward lets its record pass. */
    private final AtomicLong nextAt = new AtomicLong(System.nanoTime());

    private final AtomicLong leftOut = new AtomicLong();

    @Override
    public boolean isLoggable(LogRecord record) {
      if (record.getLevel().intValue() < Level.INFO.intValue()) {
        return true;
      }
      long now = System.nanoTime();
      long next = nextAt.get();
      if (now - next < 0 || !nextAt.compareAndSet(next, now + QUIET_NANOS)) {
        leftOut.incrementAndGet();
        return false;
      }
      shorten(record, leftOut.getAndSet(0));
      return true;
    }

    private static String oneShortLine(String text) {
      String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
      return shown.replaceAll("\\p{Cntrl}", " ");
    }

    private static void shorten(LogRecord record, long leftOut) {
      Throwable thrown = record.getThrown();
      String cause = thrown == null ? "" : ": " + thrown;
      String more = leftOut == 0 ? "" : " (" + leftOut + " more in the last minutes)";
      record.setThrown(null);
      record.setMessage(oneShortLine(record.getMessage() + cause) + more);
    }
  }
}
