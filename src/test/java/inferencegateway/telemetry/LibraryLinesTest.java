package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LibraryLinesTest {

  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong now = new AtomicLong(-5);
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final Logger grpc = context.getLogger("io.grpc.netty.NettyServerTransport");

  @BeforeEach
  void start() {
    context.addTurboFilter(new LibraryLines(now::get));
    context.getLogger("io.grpc").setLevel(Level.WARN);
    written.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(written);
  }

  @Test
  void oneASecondForEachKindAndTheRestIsCounted() {
    for (int i = 0; i < 10; i++) {
      grpc.warn("stream 7{} is unknown", i);
    }
    now.addAndGet(SECOND);
    grpc.warn("stream 8{} is unknown", 1);
    grpc.warn("something else");
    assertEquals(3, written.list.size());
    assertEquals("left_out=\"9\"", pairs(written.list.get(1)));
    assertEquals("", pairs(written.list.get(2)));
  }

  @Test
  void ownLoggersAreNotTouched() {
    Logger own = context.getLogger("inferencegateway.call.Call");
    own.warn("same");
    own.warn("same");
    assertEquals(2, written.list.size());
  }

  /** The exporter's own watch tells of it, once. */
  @Test
  void thatSpansCannotBeSentIsNotTheLibrarysToTell() {
    Logger exporter = context.getLogger("io.opentelemetry.exporter.otlp.internal.HttpExporter");
    for (int i = 0; i < 10; i++) {
      exporter.error("Failed to export " + i + " spans. The request could not be executed.");
      exporter.error("Failed to export metrics. The request could not be executed.");
    }
    exporter.warn("Too many log messages detected. Will only log 1 time(s) per 1 minute.");
    assertEquals(0, written.list.size());
    exporter.warn("Failed to read 3 metrics.", new IllegalStateException("why"));
    exporter.warn("Failed to read 4 metrics.", new IllegalStateException("why"));
    assertEquals(1, written.list.size());
  }

  @Test
  void kindsAreBounded() {
    for (int i = 0; i < 10_000; i++) {
      grpc.warn(
          "kind " + "x".repeat(i % 50) + (char) ('g' + i / 50 % 20) + (char) ('g' + i / 1000));
    }
    assertEquals(10_000, written.list.size());
  }

  @Test
  void quietLevelsStayQuiet() {
    grpc.info("connected");
    grpc.setLevel(Level.OFF);
    grpc.error("broken");
    assertEquals(List.of(), written.list);
  }

  private static String pairs(ILoggingEvent event) {
    return event.getKeyValuePairs() == null ? "" : event.getKeyValuePairs().get(0).toString();
  }
}
