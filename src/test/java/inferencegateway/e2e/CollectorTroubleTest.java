package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import inferencegateway.testing.Collector;
import inferencegateway.testing.Eventually;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A collector that is down, refuses or hangs is no trouble of the callers'. */
class CollectorTroubleTest {

  private static final int CALLS = 60;

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private Logger watched;

  @BeforeEach
  void listen() {
    watched = (Logger) LoggerFactory.getLogger("inferencegateway.telemetry.ExportWatch");
    lines.start();
    watched.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    watched.detachAppender(lines);
  }

  private static void call(Rig rig, int calls) {
    for (int i = 0; i < calls; i++) {
      AskedMethod.COMPLETE_STREAM.ask(rig.callers().channel(), "hello").assertAnswered();
    }
  }

  private List<String> lines(String level) {
    return List.copyOf(lines.list).stream()
        .filter(line -> line.getLevel().toString().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static String metrics(int port) {
    HttpRequest page =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
    try {
      return HttpClient.newHttpClient().send(page, HttpResponse.BodyHandlers.ofString()).body();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REFUSES", "HANGS"})
  void callsAreServedAndItIsSaidOnce(Collector.Mood mood) {
    try (Traced traced = new Traced()) {
      traced.collector().be(mood);
      try (Rig rig =
          traced.during(
              Map.of("otel.exporter.otlp.timeout", "100", "otel.bsp.max.export.batch.size", "4"),
              () -> Rig.start(sim -> sim.withPace(Duration.ZERO, Duration.ZERO), Map.of()))) {
        call(rig, CALLS);
        Eventually.within(Scene.SOON).assertThat("a warning", () -> !lines("WARN").isEmpty());
        call(rig, CALLS);
        assertEquals(1, lines("WARN").size(), () -> lines("WARN").toString());
        traced.collector().be(Collector.Mood.TAKES);
        Eventually.within(Scene.SOON)
            .assertThat(
                "taken again",
                () -> {
                  call(rig, 1);
                  return !lines("INFO").isEmpty();
                });
        assertTrue(lines("INFO").get(0).contains("were lost"), lines("INFO").get(0));
        assertEquals(1, lines("WARN").size());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REFUSES", "HANGS"})
  void metricsThatNobodyTakesAreSaidOnceToo(Collector.Mood mood) {
    try (Traced traced = new Traced()) {
      traced.collector().be(mood);
      try (Rig rig =
          traced.during(
              Map.of(
                  "otel.traces.exporter", "none",
                  "otel.metrics.exporter", "otlp",
                  "otel.metric.export.interval", "50",
                  "otel.exporter.otlp.timeout", "100"),
              () -> Rig.start(sim -> sim.withPace(Duration.ZERO, Duration.ZERO), Map.of()))) {
        Eventually.within(Scene.SOON).assertThat("a warning", () -> !lines("WARN").isEmpty());
        call(rig, CALLS);
        assertEquals(1, lines("WARN").size(), () -> lines("WARN").toString());
        assertTrue(lines("WARN").get(0).contains("Metrics cannot be sent"));
      }
    }
  }

  @Test
  void whatDoesNotFitIsDroppedAndCounted() {
    try (Traced traced = new Traced()) {
      traced.collector().be(Collector.Mood.HANGS);
      try (Rig rig =
          traced.during(
              Map.of("otel.bsp.max.queue.size", "8", "otel.bsp.max.export.batch.size", "4"),
              () ->
                  Rig.start(
                      sim -> sim.withPace(Duration.ZERO, Duration.ZERO),
                      Map.of("metrics-listen", "127.0.0.1:0")))) {
        call(rig, CALLS);
        String page = metrics(rig.gateway().metricsPort());
        assertTrue(page.contains("queue_full"), page);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip"})
  void spansGoOverGrpcToo(String compression) {
    String collector;
    try (Traced traced = new Traced();
        Rig rig =
            traced.during(
                Map.of(
                    "otel.exporter.otlp.endpoint",
                    traced.collector().grpcEndpoint(),
                    "otel.exporter.otlp.protocol",
                    "grpc",
                    "otel.exporter.otlp.headers",
                    "api-key=1",
                    "otel.exporter.otlp.compression",
                    compression),
                Rig::start)) {
      collector = "" + URI.create(traced.collector().grpcEndpoint()).getPort();
      call(rig, 3);
      Eventually.within(Scene.SOON)
          .assertThat("six spans", () -> traced.collector().spans().size() == 6);
      traced.collector().be(Collector.Mood.REFUSES);
      call(rig, 3);
      Eventually.within(Scene.SOON).assertThat("a warning", () -> !lines("WARN").isEmpty());
    }
    // Gateways of other tests may still say their last.
    assertEquals(
        1,
        lines("WARN").stream().filter(line -> line.contains(collector)).count(),
        () -> String.valueOf(lines("WARN")));
  }

  @Test
  void noCollectorThereIsNoTroubleEither() {
    int port;
    try (Collector gone = Collector.start()) {
      port = gone.port();
    }
    System.setProperty("otel.exporter.otlp.endpoint", "http://127.0.0.1:" + port);
    System.setProperty("otel.bsp.schedule.delay", "20");
    try (Rig rig = Rig.start()) {
      call(rig, 10);
    } finally {
      System.clearProperty("otel.exporter.otlp.endpoint");
      System.clearProperty("otel.bsp.schedule.delay");
    }
    assertTrue(lines("WARN").size() <= 1);
  }
}
