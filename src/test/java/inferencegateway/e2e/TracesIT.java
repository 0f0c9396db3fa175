package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Collector;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.SeenSpan;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The jar with OpenTelemetry's variables, as an operator sets them. */
class TracesIT {

  private Simulator simulator;
  private Collector collector;

  @BeforeEach
  void start() {
    simulator =
        new Simulator(
            SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO).withAnswerTokens(5));
    simulator.start();
    collector = Collector.start();
  }

  @AfterEach
  void stop() {
    collector.close();
    simulator.close();
  }

  private Jar jar(Map<String, String> variables) throws IOException {
    Map<String, String> all = new HashMap<>(variables);
    all.put("OTEL_BSP_SCHEDULE_DELAY", "50");
    return Jar.serve(all, simulator.port(), "--metrics-listen=off", "--drain-pause=0s");
  }

  private static void call(Jar jar, int times) {
    try (Callers callers = new Callers(jar.port())) {
      for (int i = 0; i < times; i++) {
        AskedMethod.COMPLETE_STREAM.ask(callers.channel(), "hello").assertAnswered();
      }
    }
  }

  private void assertTwoSpans() {
    Eventually.within(Duration.ofSeconds(10))
        .assertThat("spans", () -> collector.spans().size() == 2);
    assertEquals(1, collector.spans().stream().filter(SeenSpan::isServer).count());
  }

  @Test
  void standardVariablesTurnSpansOnAndNameTheService() throws IOException {
    try (Jar jar =
        jar(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint(),
                "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip",
                "OTEL_SERVICE_NAME", "edge",
                "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"))) {
      call(jar, 1);
      assertTwoSpans();
      String resource = collector.resources().get(0).toString();
      assertTrue(resource.contains("edge"), resource);
      assertTrue(resource.contains("deployment.environment.name"), resource);
    }
  }

  @Test
  void spansGoOverGrpcToo() throws IOException {
    try (Jar jar =
        jar(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                collector.grpcEndpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "grpc"))) {
      call(jar, 1);
      assertTwoSpans();
    }
  }

  @Test
  void theSamplerIsTheVariables() throws IOException {
    try (Jar jar =
        jar(
            Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                collector.endpoint(),
                "OTEL_TRACES_SAMPLER",
                "always_off"))) {
      call(jar, 3);
      jar.term();
      Eventually.within(Duration.ofSeconds(10))
          .assertThat("stopped", () -> jar.lines().stream().anyMatch(l -> l.contains("Stopped")));
    }
    assertEquals(List.of(), collector.spans());
  }

  /** The last ones are sent although the process ends at once. */
  @Test
  void whatIsLeftIsSentAtTheEnd() throws Exception {
    Map<String, String> slow =
        Map.of(
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            collector.endpoint() + "/v1/traces",
            "OTEL_BSP_SCHEDULE_DELAY",
            "60000");
    try (Jar jar = Jar.serve(slow, simulator.port(), "--metrics-listen=off", "--drain-pause=0s")) {
      call(jar, 1);
      jar.term();
      assertEquals(0, jar.awaitExit(Duration.ofSeconds(20)));
    }
    assertTwoSpans();
  }

  @Test
  void aCollectorThatIsDownIsOneLine() throws Exception {
    collector.close();
    try (Jar jar = jar(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint()))) {
      for (int i = 0; i < 3; i++) {
        call(jar, 5);
        Eventually.within(Duration.ofSeconds(20))
            .assertThat(
                "a warning",
                () -> jar.lines().stream().anyMatch(l -> l.contains("Spans cannot be sent")));
      }
      jar.term();
      assertEquals(0, jar.awaitExit(Duration.ofSeconds(20)));
      List<String> odd = jar.lines().stream().filter(l -> !l.contains(" INFO ")).toList();
      assertEquals(1, odd.stream().filter(l -> l.contains("Spans cannot be sent")).count());
      assertTrue(
          odd.stream().noneMatch(l -> l.contains("Failed to export") || l.startsWith("  | ")),
          () -> String.join("\n", odd));
    }
  }
}
