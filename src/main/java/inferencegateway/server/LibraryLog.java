package inferencegateway.server;

import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Makes a broken connection of a caller one DEBUG line. The library would write what it received, a
 * request line or a hex dump, with a stack trace, as often as a caller likes. Its other warnings
 * are thinned out where log lines are written.
 */
public final class LibraryLog {

  private static final org.slf4j.Logger log = LoggerFactory.getLogger(LibraryLog.class);

  /** Held here: {@code java.util.logging} forgets loggers, and their filters, that nobody holds. */
  private final Logger connections =
      Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport.connections");

  /** Once, before the first listener starts; lasts as long as this object is held. */
  public void quieten() {
    connections.setFilter(LibraryLog::connectionFailed);
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
}
