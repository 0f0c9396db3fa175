package inferencegateway.telemetry;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/**
 * Keeps the warnings of gRPC, Netty and OpenTelemetry to one a second for each kind, and their
 * stack traces out. That a collector takes nothing is not theirs to tell: {@link ExportWatch} does,
 * once.
 *
 * <p>Any caller can make them log, as often as it likes: a bad {@code grpc-timeout}, a missing
 * {@code te} header, frames for streams just cancelled. What was left out is told with the next
 * line that is let through.
 */
final class LibraryLines extends TurboFilter {

  private static final String EXPORT = "io.opentelemetry.";
  private static final Pattern NOT_SENT =
      Pattern.compile("^Failed to export( [0-9]+)? (spans|metrics)|^Exporter failed");

  private static final long NANOS_BETWEEN = 1_000_000_000L;
  private static final int MOST_KINDS = 256;
  private static final int KIND_LENGTH = 60;

  private final LongSupplier nanoTime;

  /** By kind, longest unused first. Guarded by itself: log lines come from every thread. */
  private final Map<String, Kind> kinds = new LinkedHashMap<>(64, 0.75f, true);

  LibraryLines(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] params,
      @Nullable Throwable thrown) {
    // Without a format nothing is being logged; somebody only asks whether it would be.
    if (format == null || !concerns(logger, level)) {
      return FilterReply.NEUTRAL;
    }
    boolean ours = isOfAnExport(logger, format);
    long leftOut = ours ? -1 : admit(kind(logger, format, thrown));
    if (leftOut >= 0) {
      write(logger, level, format, params, thrown, leftOut);
    }
    return FilterReply.DENY;
  }

  private static boolean concerns(Logger logger, Level level) {
    return level.isGreaterOrEqual(Level.WARN)
        && (logger.getName().startsWith("io.grpc") || logger.getName().startsWith(EXPORT))
        && level.isGreaterOrEqual(logger.getEffectiveLevel());
  }

  private static boolean isOfAnExport(Logger logger, String format) {
    return logger.getName().startsWith(EXPORT)
        && (NOT_SENT.matcher(format).find() || format.startsWith("Too many log messages"));
  }

  /** Numbers, such as ports and stream ids, make no new kind. */
  private static String kind(Logger logger, String format, @Nullable Throwable thrown) {
    String start = format.length() > KIND_LENGTH ? format.substring(0, KIND_LENGTH) : format;
    String error = thrown == null ? "" : thrown.getClass().getName();
    return logger.getName() + '|' + start.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "#") + '|' + error;
  }

  /** How many lines were left out since the last one; -1: this one is left out too. */
  private long admit(String name) {
    long now = nanoTime.getAsLong();
    synchronized (kinds) {
      Kind kind = kinds.get(name);
      if (kind != null && now - kind.last < NANOS_BETWEEN) {
        kind.leftOut++;
        return -1;
      }
      kinds.put(name, new Kind(now));
      if (kinds.size() > MOST_KINDS) {
        kinds.remove(kinds.keySet().iterator().next());
      }
      return kind == null ? 0 : kind.leftOut;
    }
  }

  /** Past the filters, which would ask here again. */
  private static void write(
      Logger logger,
      Level level,
      String format,
      Object @Nullable [] params,
      @Nullable Throwable thrown,
      long leftOut) {
    boolean traces = logger.getEffectiveLevel().levelInt < Level.WARN_INT;
    LoggingEvent event =
        new LoggingEvent(
            LibraryLines.class.getName(), logger, level, format, traces ? thrown : null, params);
    if (thrown != null && !traces) {
      event.addKeyValuePair(new KeyValuePair("error", thrown.toString()));
    }
    if (leftOut > 0) {
      event.addKeyValuePair(new KeyValuePair("left_out", leftOut));
    }
    logger.callAppenders(event);
  }

  private static final class Kind {
    private final long last;
    private long leftOut;

    private Kind(long last) {
      this.last = last;
    }
  }
}
