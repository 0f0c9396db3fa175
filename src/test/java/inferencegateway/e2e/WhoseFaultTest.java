package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.Gateway;
import inferencegateway.proto.admin.v1.AdminGrpc;
import inferencegateway.proto.admin.v1.Backend;
import inferencegateway.proto.admin.v1.Lately;
import inferencegateway.proto.admin.v1.StatusRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.MetricsPageText;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Is it us, the network, or the backend? Metrics, log and status must tell, and tell alike. */
class WhoseFaultTest {

  private static final Map<String, String> ON =
      Map.of("metrics-listen", "127.0.0.1:0", "admin-listen", "127.0.0.1:0");
  private static final String CALLS = "inference_gateway_calls_total";
  private static final String ATTEMPTS = "inference_gateway_backend_attempts_total";
  private static final String PACE = "gen_ai_server_time_per_output_token_seconds";
  private static final String PREFILL = "inference_gateway_prefill_duration_seconds";

  private static MetricsPageText page(Gateway gateway) {
    return MetricsPageText.read(gateway.metricsPort());
  }

  private static Lately lately(Gateway gateway, String name) {
    try (Callers operators = new Callers(gateway.adminPort())) {
      return AdminGrpc.newBlockingStub(operators.channel())
          .status(StatusRequest.getDefaultInstance())
          .getBackendsList()
          .stream()
          .filter(backend -> backend.getName().equals(name))
          .filter(backend -> backend.getState() == Backend.State.STATE_UP)
          .findFirst()
          .orElseThrow()
          .getLately();
    }
  }

  /** Probes are answered, calls are refused: up, and yet nothing works. */
  @ParameterizedTest
  @CsvSource({
    "status=401, UPSTREAM_AUTH",
    "status=404-route, UPSTREAM_NOT_FOUND",
    "status=302, UPSTREAM_REDIRECT",
    "status=429, UPSTREAM_RATE_LIMIT",
    "status=404, MODEL_NOT_FOUND"
  })
  void whatProbesDoNotSeeShows(String fault, String reason) {
    try (Scene scene = Scene.start(ON);
        RawH2 h2 = scene.connect()) {
      for (int i = 0; i < 3; i++) {
        String id = Scene.newId();
        Scene.open(h2, Scene.STREAM, id, Scene.ask(fault)).awaitEnd(Scene.SOON);
        CallLog.Line line = scene.awaitLine(id);
        assertEquals("upstream_4xx", line.outcome());
        assertEquals(reason, line.reason());
      }
      Gateway gateway = scene.rig().gateway();
      Map<String, String> why = Map.of("outcome", "upstream_4xx", "reason", reason);
      assertEquals(3, page(gateway).sum(CALLS, why));
      assertEquals(3, page(gateway).sum(ATTEMPTS, why));
      Lately lately = lately(gateway, "default");
      assertEquals(3, lately.getAttempts());
      assertEquals(3, lately.getFailed());
      assertEquals(reason, lately.getLastFailure());
    }
  }

  @Test
  void aBackendTooSlowForItsCallersShows() {
    try (Scene scene = Scene.start(ON);
        RawH2 h2 = scene.connect()) {
      List<RawStream> calls = new ArrayList<>();
      List<String> ids = new ArrayList<>();
      for (String how : List.of("inter-token=400ms", "inter-token=5s", "stall-after=0")) {
        String id = Scene.newId();
        ids.add(id);
        calls.add(
            Scene.named(h2, Scene.STREAM, id)
                .timeout("1S")
                .open()
                .message(Scene.ask(how, 100).build())
                .halfClose());
      }
      calls.forEach(call -> call.awaitEnd(Scene.SOON));
      ids.forEach(id -> assertEquals("client_deadline", scene.awaitLine(id).outcome()));
      MetricsPageText page = page(scene.rig().gateway());
      Map<String, String> late = Map.of("outcome", "client_deadline");
      assertEquals(2, page.sum(PACE + "_count", late));
      assertTrue(page.sum(PACE + "_sum", late) > 0.2 + 0.7, page.text());
      assertEquals(2, page.sum(CALLS, with(late, "phase", "decode")));
      assertEquals(1, page.sum(CALLS, with(late, "phase", "prefill")));
      assertEquals(1, page.sum(ATTEMPTS, with(late, "phase", "prefill")));
      Map<String, String> none = Map.of("first_token", "no", "backend", "default");
      assertEquals(1, page.sum(PREFILL + "_count", none));
      assertTrue(page.sum(PREFILL + "_sum", none) > 0.8);
      assertEquals(2, page.sum(PREFILL + "_count", Map.of("first_token", "yes")));
      Lately lately = lately(scene.rig().gateway(), "default");
      assertEquals(3, lately.getLate());
      assertEquals(0, lately.getFailed());
    }
  }

  private static Map<String, String> with(Map<String, String> labels, String key, String value) {
    Map<String, String> all = new HashMap<>(labels);
    all.put(key, value);
    return all;
  }

  @Test
  void aBackendWhoseFailuresOthersMakeGoodShows() {
    try (Fleet fleet = Fleet.inOrder(2, sim -> sim, "", ON)) {
      fleet.simulator(0).setFault("status=503-queue");
      for (int i = 0; i < 3; i++) {
        fleet.caller().complete(Scene.MODEL);
      }
      MetricsPageText page = page(fleet.gateway());
      Map<String, String> first = Map.of("backend", "b0", "reason", "UPSTREAM_QUEUE_FULL");
      double refused = page.sum(ATTEMPTS, first);
      assertTrue(refused > 0, page.text());
      assertEquals(3, page.sum(ATTEMPTS, Map.of("backend", "b1", "outcome", "ok")));
      assertEquals(3, page.sum(CALLS, Map.of("outcome", "ok")));
      assertEquals(3, page.sum(CALLS));
      assertEquals(refused, page.sum("inference_gateway_resends_total", Map.of("kind", "retry")));
      Lately lately = lately(fleet.gateway(), "b0");
      assertEquals((int) refused, lately.getFailed());
      assertEquals("UPSTREAM_QUEUE_FULL", lately.getLastFailure());
    }
  }

  /** Whoever is refused at once says nothing of how long the others wait. */
  @Test
  void callsRefusedAtOnceAreNoWaiting() {
    Map<String, String> settings = new HashMap<>(ON);
    settings.putAll(Map.of("admission.running", "1", "admission.adaptive", "false"));
    settings.put("admission.waiting", "0");
    try (Scene scene = Scene.start(settings);
        RawH2 h2 = scene.connect()) {
      String first = Scene.newId();
      RawStream running = Scene.open(h2, Scene.STREAM, first, Scene.ask("", 10_000));
      scene.awaitTokens(first, 2);
      for (int i = 0; i < 3; i++) {
        String id = Scene.newId();
        Scene.open(h2, Scene.STREAM, id, Scene.ask("")).awaitEnd(Scene.SOON);
        assertEquals("CONCURRENCY_LIMIT", scene.awaitLine(id).reason());
        assertEquals("", scene.awaitLine(id).get("queue_ms"));
      }
      running.reset(Scene.CANCEL);
      scene.awaitLine(first);
      assertEquals(
          1, page(scene.rig().gateway()).sum("inference_gateway_queue_duration_seconds_count"));
    }
  }

  /** One name for one thing: the caller's, in log, metrics and status. */
  @Test
  void modelsAreCalledAsCallersCallThem() {
    String models =
        "models: {fast: {targets: [{backends: [b0], model: simulated-model}], aliases: [quick]}}\n";
    try (Fleet fleet = Fleet.of(1, models, ON)) {
      Eventually.within(Fleet.SOON)
          .assertThat("its list is known", () -> refuses(fleet, "no-such-0"));
      fleet.named("aliased").complete("quick");
      fleet.named("named").complete("fast");
      fleet.named("unnamed").complete("");
      assertEquals("quick", fleet.line("aliased").get("model"));
      assertEquals("simulated-model", fleet.line("aliased").get("sent_model"));
      assertEquals("fast", fleet.line("unnamed").get("model"));
      MetricsPageText page = page(fleet.gateway());
      Map<String, String> ok = Map.of("outcome", "ok");
      assertEquals(1, page.sum(CALLS, with(ok, "gen_ai_request_model", "quick")));
      assertEquals(2, page.sum(CALLS, with(ok, "gen_ai_request_model", "fast")));
      assertEquals(0, page.sum(CALLS, with(ok, "gen_ai_request_model", "simulated-model")));
      assertJunkIsOneSeries(fleet);
    }
  }

  private static void assertJunkIsOneSeries(Fleet fleet) {
    long before = series(page(fleet.gateway()));
    for (int i = 1; i <= 300; i++) {
      assertTrue(refuses(fleet, "no-such-" + i));
    }
    MetricsPageText page = page(fleet.gateway());
    Map<String, String> other =
        Map.of("gen_ai_request_model", "other", "reason", "MODEL_NOT_FOUND", "outcome", "invalid");
    assertTrue(page.sum(CALLS, other) > 300, page.text());
    assertFalse(page.text().contains("no-such"), page.text());
    assertEquals(before, series(page), page.text());
  }

  /** The JVM's come and go, and a backend is asked of itself only while calls run there. */
  private static long series(MetricsPageText page) {
    return page.series().stream()
        .filter(each -> !each.name().startsWith("jvm_") && !each.name().contains("_engine_"))
        .count();
  }

  private static boolean refuses(Fleet fleet, String model) {
    int before = fleet.allChats();
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                LLMServiceGrpc.newBlockingStub(fleet.callers().channel())
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .complete(Fleet.ask(model)));
    return refused.getStatus().getCode() == Status.Code.NOT_FOUND && before == fleet.allChats();
  }

  /** Junk that a lone backend is asked about is its caller's too. */
  @Test
  void aNameThatNobodyHasGivenIsTheCallers() {
    try (Scene scene = Scene.start(sim -> sim.withPace(Duration.ZERO, Duration.ZERO), ON);
        RawH2 h2 = scene.connect()) {
      String junk = Scene.newId();
      Scene.open(h2, Scene.STREAM, junk, Scene.ask("status=404").setModel("junk"))
          .awaitEnd(Scene.SOON);
      assertEquals("invalid", scene.awaitLine(junk).outcome());
      assertEquals("junk", scene.awaitLine(junk).get("model"));
      String known = Scene.newId();
      Scene.open(h2, Scene.STREAM, known, Scene.ask("status=404")).awaitEnd(Scene.SOON);
      assertEquals("upstream_4xx", scene.awaitLine(known).outcome());
      String prompt = Scene.newId();
      Scene.open(h2, Scene.STREAM, prompt, Scene.ask("context-length")).awaitEnd(Scene.SOON);
      assertEquals("invalid", scene.awaitLine(prompt).outcome());
    }
  }
}
