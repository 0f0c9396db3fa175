package inferencegateway.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import inferencegateway.config.LogConfig;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.LogManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Where log lines go: to standard error, written by a thread of its own, so that a full pipe holds
 * nobody up. Lines that come faster than they can be written, or cannot be written at all, are
 * dropped and counted.
 *
 * <p>One a process; starting another replaces the first. gRPC and Netty write few lines ({@link
 * LibraryLines}); what they log through {@code java.util.logging} ends up here too.
 */
public final class Logging implements AutoCloseable {

  private static final List<String> LIBRARIES = List.of("io.grpc", "io.opentelemetry");

  private final LoggerContext context;
  private final LossyAppender lossy;

  private Logging(LoggerContext context, LossyAppender lossy) {
    this.context = context;
    this.lossy = lossy;
  }

  /** Callable from any thread; what is logged before goes to wherever the library likes. */
  public static Logging start(LogConfig config) {
    return start(config, ErrorOutput.ofProcess());
  }

  static Logging start(LogConfig config, ErrorOutput output) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    // A stopped context would take lines, and stop no more: the last ones would be lost.
    context.start();
    LossyAppender lossy = lossy(context, config.format(), output);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(lossy);
    setLevels(context, config.level());
    context.addTurboFilter(new LibraryLines(System::nanoTime));
    bridgeJavaUtilLogging(config.level());
    return new Logging(context, lossy);
  }

  private static LossyAppender lossy(
      LoggerContext context, LogConfig.Format format, ErrorOutput output) {
    OutputStreamAppender<ILoggingEvent> writer = new OutputStreamAppender<>();
    writer.setContext(context);
    writer.setEncoder(encoder(context, format));
    writer.setOutputStream(output);
    writer.start();
    LossyAppender lossy = new LossyAppender(output);
    lossy.setContext(context);
    lossy.addAppender(writer);
    lossy.start();
    return lossy;
  }

  private static Encoder<ILoggingEvent> encoder(LoggerContext context, LogConfig.Format format) {
    if (format == LogConfig.Format.JSON) {
      JsonLines json = new JsonLines();
      json.setContext(context);
      json.start();
      return json;
    }
    TextLine line = new TextLine();
    line.setContext(context);
    line.start();
    LayoutWrappingEncoder<ILoggingEvent> text = new LayoutWrappingEncoder<>();
    text.setContext(context);
    text.setCharset(StandardCharsets.UTF_8);
    text.setLayout(line);
    text.start();
    return text;
  }

  private static void setLevels(LoggerContext context, LogConfig.Level level) {
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.valueOf(level.name()));
    Level libraries =
        switch (level) {
          case ERROR -> Level.ERROR;
          case WARN, INFO -> Level.WARN;
          // Not their DEBUG: it writes every frame.
          case DEBUG -> Level.INFO;
        };
    LIBRARIES.forEach(name -> context.getLogger(name).setLevel(libraries));
  }

  private static void bridgeJavaUtilLogging(LogConfig.Level level) {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    LogManager.getLogManager()
        .getLogger("")
        .setLevel(
            level == LogConfig.Level.DEBUG
                ? java.util.logging.Level.INFO
                : java.util.logging.Level.WARNING);
  }

  /** Lines that the logging of this process could not write so far; 0 where none was started. */
  public static long droppedSoFar() {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext here
            && here.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(LossyAppender.NAME)
                instanceof LossyAppender lossy
        ? lossy.dropped()
        : 0;
  }

  /** Lines that could not be written so far. */
  public long dropped() {
    return lossy.dropped();
  }

  /** Writes what is waiting, for a second at most. Lines logged later are lost. */
  public void stop() {
    context.stop();
  }

  @Override
  public void close() {
    stop();
  }
}
