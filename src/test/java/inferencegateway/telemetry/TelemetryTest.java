package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.TelemetryConfig;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TelemetryTest {

  private static final String ENDPOINT = "otel.exporter.otlp.endpoint";

  /** OpenTelemetry takes its variables as properties of the process too. */
  private static Telemetry start(Map<String, String> properties) throws IOException {
    properties.forEach(System::setProperty);
    try {
      return Telemetry.start(new TelemetryConfig(null, null, false), "1.2.3");
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  private static boolean makesSpans(Map<String, String> properties) throws IOException {
    try (Telemetry telemetry = start(properties)) {
      return telemetry.tracing() != Tracing.OFF;
    }
  }

  @Test
  void spansAreMadeWhereSomebodyGetsThem() throws IOException {
    assertFalse(makesSpans(Map.of()));
    assertTrue(makesSpans(Map.of(ENDPOINT, "http://127.0.0.1:9")));
    assertTrue(makesSpans(Map.of("otel.exporter.otlp.traces.endpoint", "http://127.0.0.1:9/x")));
    assertTrue(makesSpans(Map.of("otel.traces.exporter", "otlp")));
    assertFalse(makesSpans(Map.of(ENDPOINT, "http://127.0.0.1:9", "otel.traces.exporter", "none")));
    assertFalse(makesSpans(Map.of(ENDPOINT, "http://127.0.0.1:9", "otel.sdk.disabled", "true")));
    assertFalse(makesSpans(Map.of(ENDPOINT, "")));
  }

  @ParameterizedTest
  @CsvSource({
    "otel.exporter.otlp.endpoint, junk",
    "otel.exporter.otlp.endpoint, 'http://a b'",
    "otel.exporter.otlp.protocol, pigeon",
    "otel.traces.sampler, sometimes",
    "otel.traces.exporter, paper",
    "otel.bsp.schedule.delay, soon"
  })
  void whatIsWrongIsSaidInOneLine(String property, String value) {
    Map<String, String> properties =
        property.equals(ENDPOINT)
            ? Map.of(ENDPOINT, value)
            : Map.of(ENDPOINT, "http://127.0.0.1:9", property, value);
    IOException wrong = assertThrows(IOException.class, () -> start(properties));
    String words = String.valueOf(wrong.getMessage());
    assertTrue(words.startsWith("OpenTelemetry's variables (OTEL_...): "), words);
    assertEquals(1, words.lines().count(), words);
  }

  @Test
  void whereNoSpansAreMadeTheWarmUpMakesNoneEither() {
    assertSame(Tracing.OFF, Tracing.OFF.unseen());
  }
}
