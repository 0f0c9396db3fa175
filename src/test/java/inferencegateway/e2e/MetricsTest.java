package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import inferencegateway.Gateway;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.testing.Authority;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.MetricsPageText;
import inferencegateway.testing.MetricsTables;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What Prometheus reads, after calls over real sockets. */
class MetricsTest {

  private static final Map<String, String> ON = Map.of("metrics-listen", "127.0.0.1:0");
  private static final int JUNK = 5_000;
  private static final int AT_ONCE = 256;

  private static MetricsPageText page(Rig rig) {
    return MetricsPageText.read(rig.gateway().metricsPort());
  }

  @Test
  void everyStateIsOnThePageAndInTheDocs() {
    try (Scene scene =
            Scene.start(sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(20)), ON);
        RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream stream = Scene.open(h2, Scene.STREAM, id, Scene.ask("", 10_000));
      // The backend is asked how busy it is once calls run there.
      Eventually.within(Scene.SOON)
          .assertThat(
              "the backend's own figures",
              () -> page(scene.rig()).has("inference_gateway_engine_running"));
      MetricsPageText page = page(scene.rig());
      stream.reset(Scene.CANCEL);
      scene.awaitAborted(id);
      assertEquals(1, page.sum("inference_gateway_engine_running"));
      assertEquals(1, page.sum("inference_gateway_calls_in_flight"));
      assertEquals(
          1, page.sum("inference_gateway_backend_in_flight", Map.of("backend", "default")));
      assertEquals(1, page.sum("inference_gateway_state", Map.of("state", "ready")));
      assertEquals(1, page.sum("inference_gateway_state"));
      assertEquals(1, page.sum("inference_gateway_backend_state", Map.of("state", "up")));
      assertEquals(1, page.sum("inference_gateway_connections"));
      assertTrue(page.sum("inference_gateway_memory_direct_bytes") > 0);
      assertTrue(page.sum("jvm_memory_used_bytes") > 0);
      for (MetricsTables.Row row : MetricsTables.english()) {
        boolean isState =
            row.kind().equals("gauge")
                && !row.name().contains("config")
                && !row.name().contains("certificate");
        assertTrue(!isState || page.has(row.name()), row.name());
      }
      assertInTheDocs(page);
    }
  }

  private static void assertInTheDocs(MetricsPageText page) {
    for (MetricsPageText.Series series : page.series()) {
      assertTrue(
          MetricsTables.english().stream()
              .anyMatch(
                  row ->
                      row.seriesNames().contains(series.name())
                          && series.labels().keySet().stream()
                              .allMatch(l -> l.equals("le") || row.labels().contains(l))),
          () -> "not in the docs: " + series);
    }
  }

  @Test
  void endOfTheCertificateIsOnThePage(@TempDir Path folder) throws IOException {
    Instant end = Instant.now().plus(Duration.ofDays(30)).truncatedTo(ChronoUnit.SECONDS);
    new Authority("CN=a").to("CN=b").dns("localhost").until(end).issue().write(folder, "own");
    String file = folder.resolve("own.crt").toString();
    try (Gateway gateway =
        Rig.gateway(
            "http://127.0.0.1:1/v1",
            Map.of(
                "metrics-listen",
                "127.0.0.1:0",
                "tls.cert",
                file,
                "tls.key",
                folder.resolve("own.key").toString()))) {
      MetricsPageText page = MetricsPageText.read(gateway.metricsPort());
      assertEquals(
          end.getEpochSecond(),
          page.sum("inference_gateway_certificate_not_after_seconds", Map.of("file", file)));
      assertEquals(0, page.sum("inference_gateway_handshakes_failed_total"));
      assertTrue(page.has("inference_gateway_handshakes_failed_total"));
    }
  }

  @Test
  void callerThatLeavesStopsTheBackendWithinMilliseconds() {
    try (Scene scene = Scene.start(ON);
        RawH2 h2 = scene.connect()) {
      for (int i = 0; i < 20; i++) {
        String id = Scene.newId();
        RawStream stream = Scene.open(h2, Scene.STREAM, id, Scene.ask("", 10_000));
        scene.awaitTokens(id, 2);
        stream.reset(Scene.CANCEL);
        scene.awaitAborted(id);
      }
      Eventually.within(Scene.SOON)
          .assertThat("all are counted", () -> closed(page(scene.rig())) == 20);
      MetricsPageText page = page(scene.rig());
      Map<String, String> cancelled = Map.of("outcome", "client_cancel");
      assertEquals(20, page.sum("inference_gateway_calls_total", cancelled));
      assertEquals(20, page.sum("inference_gateway_upstream_aborted_total"));
      assertTrue(page.sum("inference_gateway_cancelled_tokens_total", cancelled) >= 40);
      assertTrue(
          page.sum("inference_gateway_upstream_close_duration_seconds_sum") / 20 < 0.1,
          "slower than 100 ms in the mean");
    }
  }

  private static double closed(MetricsPageText page) {
    return page.sum("inference_gateway_upstream_close_duration_seconds_count");
  }

  @Test
  void callerThatDoesNotReadShowsAsBackpressure() {
    try (Scene scene =
            Scene.start(
                sim -> sim.withPace(Duration.ofMillis(5), Duration.ZERO),
                Map.of("metrics-listen", "127.0.0.1:0", "slow-caller-stall", "500ms"));
        RawH2 h2 = scene.connect(H2Behaviour.fixedWindow(0))) {
      String id = Scene.newId();
      Scene.open(h2, Scene.STREAM, id, Scene.ask("big-answer=" + (48 << 20))).awaitEnd(Scene.SOON);
      scene.awaitLine(id);
      MetricsPageText page = page(scene.rig());
      assertTrue(page.sum("inference_gateway_backpressure_seconds_total") >= 0.45);
      assertEquals(
          1, page.sum("inference_gateway_calls_total", Map.of("outcome", "slow_consumer")));
      assertEquals(
          1,
          page.sum(
              "inference_gateway_backend_attempts_total",
              Map.of("outcome", "slow_consumer", "phase", "backpressure")));
    }
  }

  /** P35, over the wire; what 50,000 would do is tried without one. */
  @Test
  void namesThatCallersMakeUpAreOther() throws Exception {
    Logger calls = (Logger) LoggerFactory.getLogger("inferencegateway.call");
    Level before = calls.getLevel();
    calls.setLevel(Level.WARN);
    try (Rig rig = Rig.start(sim -> sim.withJournal(false), ON)) {
      Channel channel = rig.callers().channel();
      many(channel, 300, MetricsTest::junkModel);
      many(channel, 300, MetricsTest::junkMethod);
      rig.awaitQuiet();
      long few = series(page(rig));
      many(channel, JUNK, MetricsTest::junkModel);
      many(channel, JUNK, MetricsTest::junkMethod);
      rig.awaitQuiet();
      MetricsPageText page = page(rig);
      assertEquals(few, series(page), page.text());
      assertEquals(
          JUNK + 300,
          page.sum("inference_gateway_calls_total", Map.of("gen_ai_request_model", "other")));
      assertEquals(
          JUNK + 300, page.sum("grpc_server_call_started_total", Map.of("grpc_method", "other")));
      assertFalse(page.text().contains("junk"));
    } finally {
      calls.setLevel(before);
    }
  }

  private static long series(MetricsPageText page) {
    return page.series().stream()
        .filter(each -> !each.name().startsWith("jvm_") && !each.name().contains("_engine_"))
        .count();
  }

  private static MethodDescriptor<CompleteRequest, CompleteResponse> junkMethod(int number) {
    return LLMServiceGrpc.getCompleteMethod().toBuilder()
        .setFullMethodName("junk.Service" + number + "/Method")
        .build();
  }

  private static MethodDescriptor<CompleteRequest, CompleteResponse> junkModel(int number) {
    return LLMServiceGrpc.getCompleteMethod();
  }

  private static void many(
      Channel channel,
      int count,
      IntFunction<MethodDescriptor<CompleteRequest, CompleteResponse>> method)
      throws InterruptedException {
    Semaphore free = new Semaphore(AT_ONCE);
    for (int i = 0; i < count; i++) {
      free.acquire();
      ClientCalls.asyncUnaryCall(
          channel.newCall(method.apply(i), CallOptions.DEFAULT),
          Scene.ask("").setModel("junk-" + i).build(),
          new Freeing(free));
    }
    free.acquire(AT_ONCE);
  }

  private record Freeing(Semaphore free) implements StreamObserver<CompleteResponse> {
    @Override
    public void onNext(CompleteResponse answer) {}

    @Override
    public void onError(Throwable failure) {
      free.release();
    }

    @Override
    public void onCompleted() {
      free.release();
    }
  }

  /** O10: readers that stall or come in crowds are no matter of the calls, nor of Prometheus. */
  @Test
  void crowdOfReadersHoldsNoCallUpNorTheRightfulReader() throws IOException {
    try (Rig rig = Rig.start(ON)) {
      List<Socket> crowd = new ArrayList<>();
      try {
        for (int i = 0; i < 600; i++) {
          Socket reader = new Socket("127.0.0.1", rig.gateway().metricsPort());
          crowd.add(reader);
          // Every other one never says the rest of what it wants.
          String end = i % 2 == 0 ? "\r\n" : "";
          reader
              .getOutputStream()
              .write(
                  ("GET /metrics HTTP/1.1\r\nHost: x\r\n" + end)
                      .getBytes(StandardCharsets.US_ASCII));
        }
        for (int i = 0; i < 10; i++) {
          assertFalse(rig.callers().seeds().complete("how are you").getText().isEmpty());
          assertTrue(page(rig).has("inference_gateway_calls_total"));
        }
      } finally {
        for (Socket reader : crowd) {
          reader.close();
        }
      }
    }
  }
}
