package inferencegateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.TelemetryConfig;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    "otel.bsp.schedule.delay, soon",
    "otel.resource.attributes, junk",
    "otel.metrics.exporter, console",
    "otel.exporter.otlp.certificate, /nonexistent"
  })
  void whatIsWrongIsSaidInOneLineAndCostsSpansOnly(String property, String value)
      throws IOException {
    Map<String, String> properties =
        property.equals(ENDPOINT)
            ? Map.of(ENDPOINT, value)
            : Map.of(ENDPOINT, "http://127.0.0.1:9", property, value);
    assertFalse(makesSpans(properties));
    String words = fault(properties).orElseThrow();
    assertTrue(words.contains("OTEL_"), words);
    assertEquals(1, words.lines().count(), words);
  }

  @Test
  void secretsOfAVariableThatIsWrongAreNotSaid() {
    for (Map<String, String> wrong :
        List.of(
            Map.of(ENDPOINT, "http://127.0.0.1:9", "otel.exporter.otlp.headers", "hunter2"),
            Map.of(ENDPOINT, "127.0.0.1:hunter2@collector"))) {
      String words = fault(wrong).orElseThrow();
      assertFalse(words.contains("hunter2"), words);
    }
  }

  @Test
  void goodVariablesHaveNoFault() {
    assertEquals(Optional.empty(), fault(Map.of()));
    assertEquals(Optional.empty(), fault(Map.of(ENDPOINT, "http://127.0.0.1:9")));
  }

  private static Optional<String> fault(Map<String, String> properties) {
    properties.forEach(System::setProperty);
    try {
      return Telemetry.fault();
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  /** Whatever the collector does: reading metrics a last time would wait for it. */
  @Test
  void endsInTwoSecondsThoughTheCollectorHangs() throws IOException {
    try (ServerSocket hangs = new ServerSocket(0)) {
      Telemetry telemetry =
          start(
              Map.of(
                  ENDPOINT,
                  "http://127.0.0.1:" + hangs.getLocalPort(),
                  "otel.metrics.exporter",
                  "otlp"));
      telemetry.sdk().getMeter("m").counterBuilder("c").build().add(1);
      assertTimeoutPreemptively(Duration.ofSeconds(4), telemetry::close);
    }
  }

  @Test
  void whereNoSpansAreMadeTheWarmUpMakesNoneEither() {
    assertSame(Tracing.OFF, Tracing.OFF.unseen());
  }
}
