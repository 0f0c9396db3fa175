package inferencegateway.e2e;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** The log lines of calls by request id, and every stack trace that reached a log meanwhile. */
final class CallLog implements AutoCloseable {

  /** One call's line: its values by key, as texts. */
  record Line(Map<String, String> values) {
    String outcome() {
      return get("outcome");
    }

    String phase() {
      return get("phase");
    }

    String reason() {
      return get("reason");
    }

    String get(String key) {
      return values.getOrDefault(key, "");
    }
  }

  private final Map<String, Queue<Line>> lines = new ConcurrentHashMap<>();
  private final Queue<String> traces = new ConcurrentLinkedQueue<>();
  private final Lines appender = new Lines();
  private final LibraryTraces library = new LibraryTraces();

  CallLog() {
    appender.setContext(root().getLoggerContext());
    appender.start();
    root().addAppender(appender);
    java.util.logging.Logger.getLogger("").addHandler(library);
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  }

  /** All lines of that call so far. */
  Queue<Line> of(String requestId) {
    return lines.getOrDefault(requestId, new ConcurrentLinkedQueue<>());
  }

  /** What was logged with a throwable since the last time. */
  List<String> takeTraces() {
    List<String> taken = List.copyOf(traces);
    traces.clear();
    return taken;
  }

  @Override
  public void close() {
    root().detachAppender(appender);
    appender.stop();
    java.util.logging.Logger.getLogger("").removeHandler(library);
  }

  private final class Lines extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      // Below INFO is what the library says to itself, of connections of other tests as well.
      if (event.getThrowableProxy() != null
          && event.getLevel().isGreaterOrEqual(ch.qos.logback.classic.Level.INFO)
          && !isOfAnExporter(event.getLoggerName())) {
        traces.add(event.getFormattedMessage() + ": " + event.getThrowableProxy().getMessage());
      }
      if (event.getLoggerName().equals("inferencegateway.call")) {
        Line line = line(event);
        lines
            .computeIfAbsent(line.get("request_id"), id -> new ConcurrentLinkedQueue<>())
            .add(line);
      }
    }

    private static Line line(ILoggingEvent event) {
      return new Line(
          event.getKeyValuePairs().stream()
              .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value))));
    }
  }

  /** It sends on a thread of its own, and may report what another test sent. */
  private static boolean isOfAnExporter(String logger) {
    return logger.startsWith("io.opentelemetry.");
  }

  /** The gRPC library logs through {@code java.util.logging}. */
  private final class LibraryTraces extends Handler {
    @Override
    public void publish(LogRecord record) {
      boolean shown = record.getLevel().intValue() >= Level.WARNING.intValue();
      if (shown && record.getThrown() != null && !isOfAnExporter(record.getLoggerName())) {
        traces.add(record.getLoggerName() + ": " + record.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
