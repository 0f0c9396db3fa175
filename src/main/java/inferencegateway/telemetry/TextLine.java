package inferencegateway.telemetry;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * One line for people: time in UTC, level, message, {@code key=value} pairs, logger. A stack trace
 * follows on lines that begin with {@code " | "}, so that no text in it can pass for a line of its
 * own.
 */
final class TextLine extends LayoutBase<ILoggingEvent> {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  @Override
  public String doLayout(ILoggingEvent event) {
    StringBuilder line = new StringBuilder(200);
    TIME.formatTo(event.getInstant(), line);
    line.append(' ').append(event.getLevel());
    line.append(" ".repeat(Math.max(1, 6 - event.getLevel().toString().length())));
    LineText.appendEscaped(line, String.valueOf(event.getFormattedMessage()));
    if (event.getKeyValuePairs() != null) {
      event.getKeyValuePairs().forEach(pair -> appendPair(line, pair));
    }
    line.append(" logger=").append(shortName(event.getLoggerName())).append('\n');
    appendTrace(line, event.getThrowableProxy());
    return line.toString();
  }

  private static void appendPair(StringBuilder line, KeyValuePair pair) {
    line.append(' ');
    LineText.appendEscaped(line, String.valueOf(pair.key));
    line.append('=');
    LineText.appendValue(line, String.valueOf(pair.value));
  }

  private static String shortName(String logger) {
    return logger.substring(logger.lastIndexOf('.') + 1);
  }

  private static void appendTrace(StringBuilder line, @Nullable IThrowableProxy thrown) {
    if (thrown == null) {
      return;
    }
    ThrowableProxyUtil.asString(thrown)
        .lines()
        .forEach(
            text -> {
              line.append("  | ");
              LineText.appendEscaped(line, text.replace("\t", "    "));
              line.append('\n');
            });
  }
}
