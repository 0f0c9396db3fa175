package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.Gateway;
import inferencegateway.config.ConfigException;
import inferencegateway.config.Settings;
import inferencegateway.proto.admin.v1.AdminGrpc;
import inferencegateway.proto.admin.v1.Backend;
import inferencegateway.proto.admin.v1.Call;
import inferencegateway.proto.admin.v1.CancelCallRequest;
import inferencegateway.proto.admin.v1.Ended;
import inferencegateway.proto.admin.v1.ListCallsRequest;
import inferencegateway.proto.admin.v1.ListCallsResponse;
import inferencegateway.proto.admin.v1.Queue;
import inferencegateway.proto.admin.v1.StatusRequest;
import inferencegateway.proto.admin.v1.StatusResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.testing.Callers;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.H2Behaviour;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RawStream;
import inferencegateway.testing.SeedCallers;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetServersRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an operator sees and can do, over the port that is for it. */
class AdminTest {

  private static final Map<String, String> SETTINGS =
      Map.of(
          "admin-listen",
          "127.0.0.1:0",
          "admission.running",
          "2",
          "admission.adaptive",
          "false",
          "admission.longest-wait",
          "1m");

  private static Scene scene;
  private static Callers operators;
  private static AdminGrpc.AdminBlockingStub admin;

  @BeforeAll
  static void start() {
    scene = Scene.start(SETTINGS);
    operators = new Callers(scene.rig().gateway().adminPort());
    admin = AdminGrpc.newBlockingStub(operators.channel());
  }

  @AfterAll
  static void stop() {
    operators.close();
    scene.close();
  }

  @AfterEach
  void nothingIsLeft() {
    scene.assertAllIsWell();
  }

  private static StatusResponse status() {
    return admin.status(StatusRequest.getDefaultInstance());
  }

  private static List<Call> calls() {
    return admin.listCalls(ListCallsRequest.getDefaultInstance()).getCallsList();
  }

  private static Call call(String id) {
    return Eventually.within(SOON)
        .get(
            () ->
                calls().stream()
                    .filter(each -> each.getRequestId().equals(id))
                    .findFirst()
                    .orElse(null));
  }

  private static int cancel(String id) {
    return admin.cancelCall(CancelCallRequest.newBuilder().setRequestId(id).build()).getCancelled();
  }

  @Test
  void statusTellsOfBackendsAndWhatCallsHaveComeTo() {
    scene.rig().callers().seeds().complete("count me");
    StatusResponse status = status();
    assertTrue(status.getReady());
    assertEquals(List.of(), status.getNotReadyBecauseList());
    assertTrue(status.getConnections() > 0);
    assertTrue(status.getHeapUsedBytes() > 0);
    assertEquals(256, status.getWaitingLimit());
    assertTrue(status.hasUtilization());
    assertEquals(1, status.getBackendsCount());
    Backend backend = status.getBackends(0);
    assertEquals(Backend.State.STATE_UP, backend.getState());
    assertEquals(2, backend.getLimit());
    assertTrue(backend.getUrl().startsWith("http://127.0.0.1:"));
    assertTrue(backend.getModelsList().contains(Scene.MODEL), backend.toString());
    assertTrue(
        status.getEndedList().stream().map(Ended::getOutcome).toList().contains("ok"),
        status.toString());
  }

  @Test
  void liveCallsAreListedWithoutAWordOfThem() {
    try (RawH2 h2 = scene.connect()) {
      String first = Scene.newId();
      String second = Scene.newId();
      String third = Scene.newId();
      Scene.open(h2, Scene.STREAM, first, ask("", 5_000));
      scene.awaitTokens(first, 5);
      Scene.named(h2, Scene.STREAM, second)
          .timeout("50S")
          .open()
          .message(ask("stall-before-headers").build())
          .halfClose();
      scene.awaitUpstream(second);
      Scene.open(h2, Scene.STREAM, third, ask(""));
      Call waits = call(third);
      assertEquals("queued", waits.getPhase());
      assertEquals("", waits.getBackend());
      assertFalse(waits.hasTimeLeft());

      Call runs = call(first);
      assertEquals("decode", runs.getPhase());
      assertTrue(runs.getTokens() >= 1);
      assertEquals(Scene.MODEL, runs.getModel());
      assertEquals("llm.v1.LLMService/CompleteStream", runs.getMethod());
      assertFalse(runs.getBackend().isEmpty());
      Call asks = call(second);
      assertEquals("prefill", asks.getPhase());
      assertTrue(asks.getTimeLeft().getSeconds() > 30, asks.toString());
      assertEquals(
          List.of(first, second, third), calls().stream().map(Call::getRequestId).toList());
      ListCallsResponse one = admin.listCalls(ListCallsRequest.newBuilder().setLimit(1).build());
      assertEquals(1, one.getCallsCount());
      assertEquals(3, one.getTotal());

      StatusResponse status = status();
      assertEquals(3, status.getCalls());
      assertEquals(1, status.getWaiting());
      assertEquals(2, status.getBackends(0).getRunning());
      Queue queue = status.getQueues(0);
      assertEquals(Scene.MODEL, queue.getModel());
      assertEquals(1, queue.getWaiting());
      assertEquals(3, status.getCallers(0).getCalls());
      assertFalse(
          (status.toString() + calls()).contains("hello"), "what is asked shows on the admin port");
      List.of(first, second, third).forEach(id -> assertEquals(1, cancel(id)));
      scene.rig().awaitQuiet();
    }
  }

  @Test
  void cancelledCallStopsAtTheBackendAndItsCallerIsToldWhy() {
    try (RawH2 h2 = scene.connect()) {
      String id = Scene.newId();
      RawStream call = Scene.open(h2, Scene.STREAM, id, ask("", 5_000));
      call.awaitMessages(3, SOON);
      assertEquals(1, cancel(id));
      call.awaitEnd(SOON);
      assertEquals(OptionalInt.of(Status.Code.ABORTED.value()), call.status());
      scene.awaitAborted(id);
      CallLog.Line line = scene.awaitLine(id);
      assertEquals("operator_cancel", line.outcome());
      assertEquals("CANCELLED_BY_OPERATOR", line.reason());
      assertEquals("decode", line.phase());
      assertEquals("ABORTED", line.get("code"));
    }
  }

  @Test
  void cancelledWholeAnswerCarriesReasonAndNoRetry() {
    ManagedChannel channel = scene.rig().callers().channel();
    Thread operator =
        new Thread(
            () -> {
              Call there =
                  Eventually.within(SOON).get(() -> calls().stream().findFirst().orElse(null));
              cancel(there.getRequestId());
            });
    operator.start();
    StatusRuntimeException error =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                LLMServiceGrpc.newBlockingStub(channel)
                    .complete(ask("stall-before-headers").build()));
    assertEquals(Status.Code.ABORTED, error.getStatus().getCode());
    assertEquals("CANCELLED_BY_OPERATOR", ErrorDetails.of(error).reason());
    assertEquals("-1", ErrorDetails.of(error).pushback());
  }

  @Test
  void aCallThatWaitsOrWhoseCallerDoesNotReadCanBeCancelledToo() {
    try (RawH2 h2 = scene.connect();
        RawH2 slow = scene.connect(H2Behaviour.fixedWindow(0))) {
      String stuck = Scene.newId();
      Scene.open(slow, Scene.STREAM, stuck, ask("huge-line=65536", 5_000));
      Eventually.within(SOON)
          .assertThat("held back", () -> call(stuck).getPhase().equals("backpressure"));
      String other = Scene.newId();
      Scene.open(h2, Scene.STREAM, other, ask("", 5_000));
      scene.awaitUpstream(other);
      String waits = Scene.newId();
      RawStream waiting = Scene.open(h2, Scene.STREAM, waits, ask(""));
      call(waits);
      assertEquals(1, cancel(waits));
      waiting.awaitEnd(SOON);
      scene.assertNothingUpstream(waits);
      assertEquals("queued", scene.awaitLine(waits).phase());
      assertEquals(1, cancel(stuck));
      scene.awaitAborted(stuck);
      assertEquals("operator_cancel", scene.awaitLine(stuck).outcome());
      assertEquals(1, cancel(other));
      scene.awaitAborted(other);
    }
  }

  @Test
  void nobodyByThatNameIsCancelled() {
    assertEquals(0, cancel("nobody"));
    assertEquals(0, cancel(""));
  }

  @Test
  void channelzAndReflectionAreThereAndTheContractsAreNot() {
    ManagedChannel channel = operators.channel();
    int servers =
        ChannelzGrpc.newBlockingStub(channel)
            .getServers(GetServersRequest.getDefaultInstance())
            .getServerCount();
    assertTrue(servers >= 2, "servers known to channelz: " + servers);
    StatusRuntimeException error =
        assertThrows(StatusRuntimeException.class, () -> new SeedCallers(channel).complete("hi"));
    assertEquals(Status.Code.UNIMPLEMENTED, error.getStatus().getCode());
  }

  /** Neither is for callers: they reach the main port, operators the other. */
  @Test
  void theMainPortServesNeitherAdminNorChannelz() {
    ManagedChannel channel = scene.rig().callers().channel();
    List<StatusRuntimeException> refused =
        List.of(
            assertThrows(
                StatusRuntimeException.class,
                () ->
                    AdminGrpc.newBlockingStub(channel).status(StatusRequest.getDefaultInstance())),
            assertThrows(
                StatusRuntimeException.class,
                () ->
                    ChannelzGrpc.newBlockingStub(channel)
                        .getServers(GetServersRequest.getDefaultInstance())));
    refused.forEach(error -> assertEquals(Status.Code.UNIMPLEMENTED, error.getStatus().getCode()));
  }

  @Test
  void anAddressThatOthersCanReachIsRefused() {
    for (String open : List.of("0.0.0.0:9465", "[::]:9465", ":9465", "10.0.0.1:9465", "gpu:9465")) {
      ConfigException refused =
          assertThrows(
              ConfigException.class,
              () -> Settings.read(Map.of("admin-listen", open), Map.of()).config());
      assertTrue(refused.getMessage().contains("admin-listen"), refused.getMessage());
    }
  }

  @Test
  void aTakenPortStopsTheStartOnlyWhenItWasAskedFor() throws IOException {
    int taken = scene.rig().gateway().adminPort();
    AssertionError error =
        assertThrows(
            AssertionError.class,
            () ->
                Rig.gateway("http://127.0.0.1:1/v1", Map.of("admin-listen", "127.0.0.1:" + taken)));
    assertTrue(error.getMessage().contains("admin-listen"), error.getMessage());
    Map<String, String> onDefaults =
        Map.of(
            "listen", "127.0.0.1:0", "metrics-listen", "off", "backend", "http://127.0.0.1:1/v1");
    try (Gateway one = Gateway.start(Settings.read(onDefaults, Map.of()).config());
        Gateway two = Gateway.start(Settings.read(onDefaults, Map.of()).config())) {
      assertEquals(-1, two.adminPort(), "two gateways on one default port");
      assertTrue(one.port() != two.port());
    }
  }

  @Test
  void whatIsMissingIsSaid() {
    try (Gateway lonely =
            Rig.gateway("http://127.0.0.1:1/v1", Map.of("admin-listen", "127.0.0.1:0"));
        Callers asking = new Callers(lonely.adminPort())) {
      AdminGrpc.AdminBlockingStub stub = AdminGrpc.newBlockingStub(asking.channel());
      Eventually.within(Duration.ofSeconds(10))
          .assertThat(
              "down and said so",
              () -> {
                StatusResponse status = stub.status(StatusRequest.getDefaultInstance());
                return !status.getReady()
                    && status.getNotReadyBecauseList().contains("no backend is up")
                    && status.getBackends(0).getState() == Backend.State.STATE_DOWN;
              });
    }
  }
}
