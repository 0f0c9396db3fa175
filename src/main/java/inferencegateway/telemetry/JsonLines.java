package inferencegateway.telemetry;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * One JSON object a line, flat, as log shippers like it: {@code timestamp}, {@code level}, {@code
 * logger}, {@code message}, the event's own keys, {@code error}.
 *
 * <p>Not logback's own encoder: that one writes the time as a number and each key-value pair as an
 * object in a list.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {

  private static final Set<String> OWN_KEYS =
      Set.of("timestamp", "level", "logger", "message", "error");

  private final JsonFactory json = new JsonFactory();

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  /** Through characters, not bytes: a lone surrogate then becomes a question mark, no exception. */
  @Override
  public byte[] encode(ILoggingEvent event) {
    StringWriter line = new StringWriter(256);
    try (JsonGenerator out = json.createGenerator(line)) {
      write(event, out);
    } catch (IOException e) {
      throw new IllegalStateException("a string cannot fail to be written", e);
    }
    return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void write(ILoggingEvent event, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeStringField("timestamp", event.getInstant().toString());
    out.writeStringField("level", event.getLevel().toString());
    out.writeStringField("logger", event.getLoggerName());
    out.writeStringField("message", String.valueOf(event.getFormattedMessage()));
    writePairs(event.getKeyValuePairs(), out);
    writeError(event.getThrowableProxy(), out);
    out.writeEndObject();
  }

  /** Each key once: shippers refuse lines that name one twice. */
  private static void writePairs(@Nullable List<KeyValuePair> pairs, JsonGenerator out)
      throws IOException {
    Set<String> taken = new HashSet<>(OWN_KEYS);
    for (KeyValuePair pair : pairs == null ? List.<KeyValuePair>of() : pairs) {
      String key = String.valueOf(pair.key);
      while (!taken.add(key)) {
        key = key + "_";
      }
      out.writeFieldName(key);
      writeValue(pair.value, out);
    }
  }

  private static void writeValue(@Nullable Object value, JsonGenerator out) throws IOException {
    if (value instanceof Integer || value instanceof Long || value instanceof Short) {
      out.writeNumber(((Number) value).longValue());
    } else if (value instanceof Double number && Double.isFinite(number)) {
      out.writeNumber(number);
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value == null) {
      out.writeNull();
    } else {
      out.writeString(value.toString());
    }
  }

  private static void writeError(@Nullable IThrowableProxy thrown, JsonGenerator out)
      throws IOException {
    if (thrown != null) {
      out.writeStringField("error", ThrowableProxyUtil.asString(thrown));
    }
  }
}
