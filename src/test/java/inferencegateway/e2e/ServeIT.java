package inferencegateway.e2e;

import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.NOT_SERVING;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.CapturedMetadata;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process that people run, from its first call to its last. */
class ServeIT {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SOON = Duration.ofSeconds(1);

  @TempDir private Path folder;

  /** Answers for ten seconds when nothing stops it. */
  private final Simulator simulator =
      new Simulator(
          SimulatorConfig.defaults()
              .withPace(Duration.ofMillis(5), Duration.ofMillis(20))
              .withAnswerTokens(500));

  @BeforeEach
  void start() {
    simulator.start();
  }

  @AfterEach
  void stop() {
    simulator.close();
  }

  private Jar serve(String... flags) throws IOException {
    return Jar.serve(simulator.port(), flags);
  }

  private static RecordingObserver<GenerateRequest, TokenResponse> stream(
      Channel channel, int tokens) {
    RecordingObserver<GenerateRequest, TokenResponse> stream = RecordingObserver.eager();
    InferenceServiceGrpc.newStub(channel).generateStream(asking(tokens), stream);
    stream.awaitMessages(3, LONG);
    return stream;
  }

  private static GenerateRequest asking(int tokens) {
    return SeedCallers.generateRequest("Hi").toBuilder().setMaxTokens(tokens).build();
  }

  private static void awaitServing(Callers callers) {
    HealthNames health = new HealthNames(callers.channel());
    Eventually.within(LONG).assertThat("serving", health::isServing);
  }

  @Test
  void theFirstCallIsServedAtOnce() throws Exception {
    try (Jar jar = serve();
        Callers callers = new Callers(jar.port())) {
      awaitServing(callers);
      SeedCallers seeds = callers.seeds();
      // The client is warmed by a call that ends before the gateway's own path.
      seeds.health();
      List<Long> millis = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        long from = System.nanoTime();
        seeds.inference().generateStream(asking(2)).forEachRemaining(token -> {});
        millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from));
      }
      assertTrue(millis.get(0) < 1_000, "ms of the first calls: " + millis);
    }
  }

  @Test
  void aTermSignalIsFollowedStepByStep() throws Exception {
    try (Jar jar = serve("--drain-pause=2s", "--drain-grace=1s");
        Callers callers = new Callers(jar.port())) {
      awaitServing(callers);
      Channel channel = callers.channel();
      HealthNames health = new HealthNames(callers.channel());
      var watch = health.watch("");
      var liveness = health.watch("liveness");
      watch.awaitMessages(1, LONG);
      liveness.awaitMessages(1, LONG);
      var running = stream(channel, 256);

      long signal = System.nanoTime();
      jar.term();
      watch.awaitMessages(2, SOON);
      assertEquals(List.of(SERVING, NOT_SERVING), HealthNames.statuses(watch));
      HealthNames.READINESS.forEach(name -> assertEquals(NOT_SERVING, health.check(name)));
      assertEquals(SERVING, health.check("liveness"));

      // A caller that has not looked yet is served, on a new connection too, and told to go.
      CapturedMetadata metadata = new CapturedMetadata(callers.channel());
      assertFalse(
          InferenceServiceGrpc.newBlockingStub(metadata.channel())
              .generate(asking(2))
              .getContent()
              .isEmpty());
      assertEquals("true", header(metadata, "x-envoy-immediate-health-check-fail"));
      assertTrue(millisSince(signal) < 2_000, "still in the pause");

      assertTrue(watch.awaitEnd(LONG).isOk());
      assertTrue(liveness.awaitEnd(LONG).isOk());
      long paused = millisSince(signal);
      assertTrue(paused >= 1_900 && paused < 4_000, "watches ended after " + paused);
      assertEquals(List.of(SERVING), HealthNames.statuses(liveness));
      assertFalse(running.isEnded());
      assertThrows(IOException.class, () -> connect(jar.port()));

      assertEquals(Status.Code.UNAVAILABLE, running.awaitEnd(LONG).getCode());
      long ended = millisSince(signal);
      assertTrue(ended >= 2_900 && ended < 6_000, "stream ended after " + ended);
      ErrorDetails details = ErrorDetails.of(running.trailers());
      assertEquals("SHUTTING_DOWN", details.reason());
      assertEquals("-1", details.pushback());
      String sent = details.errorInfo().orElseThrow().getMetadataOrThrow("tokens_sent");
      assertEquals(running.messages().size(), Integer.parseInt(sent));
      Eventually.within(SOON)
          .assertThat("the backend is told", () -> simulator.counters().aborted() == 1);
      assertEquals(0, jar.awaitExit(Duration.ofSeconds(5)));
    }
  }

  @Test
  void aRunningStreamMayEndWithinTheGraceAndThenTheProcessEnds() throws Exception {
    try (Jar jar = serve("--drain-pause=0s", "--drain-grace=30s");
        Callers callers = new Callers(jar.port())) {
      awaitServing(callers);
      Channel channel = callers.channel();
      var watch = new HealthNames(channel).watch("");
      watch.awaitMessages(1, LONG);
      var running = stream(channel, 60);
      jar.interrupt();
      assertTrue(running.awaitEnd(LONG).isOk());
      assertEquals(61, running.messages().size());
      assertTrue(watch.awaitEnd(LONG).isOk());
      assertEquals(0, jar.awaitExit(Duration.ofSeconds(5)));
      assertEquals(0, simulator.counters().aborted());
    }
  }

  @Test
  void aSecondSignalEndsItWithinASecondWhateverRuns() throws Exception {
    try (Jar jar = serve("--drain-pause=1h");
        Callers callers = new Callers(jar.port())) {
      awaitServing(callers);
      var running = stream(callers.channel(), 256);
      var watch = new HealthNames(callers.channel()).watch("");
      watch.awaitMessages(1, LONG);
      jar.term();
      watch.awaitMessages(2, SOON);
      jar.interrupt();
      assertEquals(128 + 2, jar.awaitExit(SOON));
      assertEquals(Status.Code.UNAVAILABLE, running.awaitEnd(SOON).getCode());
      Eventually.within(SOON)
          .assertThat("the backend sees it", () -> simulator.counters().aborted() == 1);
    }
  }

  @Test
  void aKilledGatewayLeavesNothingBehind() throws Exception {
    int port;
    try (Jar jar = serve();
        Callers callers = new Callers(jar.port())) {
      port = jar.port();
      awaitServing(callers);
      var streamed = stream(callers.channel(), 256);
      RecordingObserver<GenerateRequest, inference.Inference.GenerateResponse> whole =
          RecordingObserver.eager();
      InferenceServiceGrpc.newStub(callers.channel()).generate(asking(256), whole);
      assertTrue(simulator.awaitRequests(2, LONG));
      jar.kill();
      assertEquals(Status.Code.UNAVAILABLE, streamed.awaitEnd(SOON).getCode());
      assertEquals(Status.Code.UNAVAILABLE, whole.awaitEnd(SOON).getCode());
      Eventually.within(SOON)
          .assertThat("both are given up", () -> simulator.counters().aborted() == 2);
      assertEquals(128 + 9, jar.awaitExit(SOON));
    }
    try (Jar again = serve("--listen=127.0.0.1:" + port);
        Callers callers = new Callers(port)) {
      awaitServing(callers);
      assertFalse(callers.seeds().inference().generate(asking(2)).getContent().isEmpty());
      assertTrue(again.lines().stream().noneMatch(line -> line.contains(" ERROR ")));
    }
  }

  @Test
  void everyCallIsOneLineOfJsonThatTellsNothingSecret() throws Exception {
    Path key = Files.writeString(folder.resolve("key"), "sk-verysecret\n");
    try (Jar jar = serve("--log-format=json", "--api-key-file=" + key, "--drain-pause=0s");
        Callers callers = new Callers(jar.port())) {
      awaitServing(callers);
      SeedCallers seeds = callers.seeds();
      GenerateRequest asked =
          SeedCallers.generateRequest("Zanzibar").toBuilder().setMaxTokens(12).build();
      String answer = seeds.inference().generate(asked).getContent();
      seeds.inference().generateStream(asked).forEachRemaining(token -> {});
      assertThrows(
          io.grpc.StatusRuntimeException.class,
          () -> seeds.generate("[[sim:status=400;error-message=Zanzibar is no prompt]]"));
      jar.term();
      assertEquals(0, jar.awaitExit(Duration.ofSeconds(10)));
      Eventually.within(SOON)
          .assertThat("the last line", () -> jar.lines().toString().contains("Stopped"));

      List<JsonNode> calls = new ArrayList<>();
      for (String line : jar.lines()) {
        JsonNode json = new ObjectMapper().readTree(line);
        if (json.path("message").asText().equals("call")) {
          calls.add(json);
        }
      }
      String all = String.join("\n", jar.lines());
      assertEquals(3, calls.size(), all);
      for (JsonNode call : calls) {
        for (String field :
            List.of("request_id", "method", "peer", "model", "outcome", "code", "phase")) {
          assertFalse(call.path(field).asText().isEmpty(), field + " in " + call);
        }
        assertTrue(call.path("total_ms").isNumber(), call.toString());
      }
      assertEquals("OK", calls.get(0).path("code").asText());
      assertEquals(12, calls.get(1).path("output_tokens").asInt());
      assertTrue(calls.get(1).path("ttft_ms").isNumber());
      assertEquals("INVALID_ARGUMENT", calls.get(2).path("code").asText());
      assertTrue(calls.get(2).path("detail").asText().endsWith(" (BadRequestError 400)"), all);
      assertFalse(all.contains("Zanzibar"), all);
      assertFalse(all.contains("verysecret"), all);
      assertFalse(all.contains(answer), all);
    }
  }

  @Test
  void aFullPipeHoldsNoCallUp() throws Exception {
    Process process = Jar.process(simulator.port(), "--log-format=json", "--drain-pause=0s");
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line = lines.readLine();
      while (!line.contains("gateway started")) {
        line = lines.readLine();
      }
      // From here on nobody reads: 64 KiB of the pipe are full after some 150 calls.
      try (Callers callers = new Callers(Jar.port(line))) {
        awaitServing(callers);
        SeedCallers seeds = callers.seeds();
        for (int i = 0; i < 600; i++) {
          seeds.inference().withDeadlineAfter(10, TimeUnit.SECONDS).generate(asking(1));
        }
      }
      process.destroy();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS), "it stops although nobody reads");
    } finally {
      process.destroyForcibly();
    }
  }

  private static void connect(int port) throws IOException {
    new Socket(InetAddress.getLoopbackAddress(), port).close();
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  private static String header(CapturedMetadata metadata, String name) {
    Metadata headers = metadata.headers();
    return headers == null
        ? ""
        : headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }
}
