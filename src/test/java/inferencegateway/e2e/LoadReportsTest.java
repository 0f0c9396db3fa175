package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.SOON;
import static inferencegateway.e2e.Scene.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.orca.OpenRcaServiceGrpc;
import inferencegateway.proto.orca.OrcaLoadReport;
import inferencegateway.proto.orca.OrcaLoadReportRequest;
import inferencegateway.testing.CapturedMetadata;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RawH2;
import inferencegateway.testing.RecordingObserver;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What balancers are told, and that a real one goes by it. */
class LoadReportsTest {

  private static final Map<String, String> PLACES =
      Map.of("admission.running", "16", "admission.adaptive", "false");

  private static final Metadata.Key<byte[]> TRAILER =
      Metadata.Key.of("endpoint-load-metrics-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** The load that one of two gateways has already. */
  private static List<String> occupy(Scene scene, RawH2 h2, int streams) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      String id = Scene.newId();
      ids.add(id);
      Scene.open(h2, Scene.STREAM, id, ask("", 100_000));
    }
    ids.forEach(id -> scene.awaitTokens(id, 1));
    return ids;
  }

  private static OrcaLoadReport report(CapturedMetadata told) {
    try {
      return OrcaLoadReport.parseFrom(told.trailers().get(TRAILER));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void weightedRoundRobinPrefersTheGatewayWithRoom(boolean outOfBand) throws Exception {
    try (Scene busy = Scene.start(PLACES);
        Scene idle = Scene.start(PLACES);
        RawH2 load = busy.connect();
        WeightedCaller caller =
            WeightedCaller.of(outOfBand, List.of(busy.rig().port(), idle.rig().port()))) {
      occupy(busy, load, 12);
      caller.calls(100); // Until weights are known both are asked alike.
      Eventually.within(Duration.ofSeconds(20))
          .assertThat(
              "the gateway with room gets at least twice as much",
              () -> {
                int busyBefore = busy.rig().simulator().chats().size();
                int idleBefore = idle.rig().simulator().chats().size();
                caller.calls(100);
                int toBusy = busy.rig().simulator().chats().size() - busyBefore;
                int toIdle = idle.rig().simulator().chats().size() - idleBefore;
                return toIdle >= 2 * toBusy && toBusy > 0;
              });
    }
  }

  /** It answers at once and holds nothing: by its room alone it would get every call. */
  @ParameterizedTest
  @CsvSource({"status=401,0", "status=404-route,1", "status=429,0"})
  void weightedRoundRobinLeavesTheGatewayWhoseBackendRefusesAll(String fault, double errorPenalty)
      throws Exception {
    try (Scene refused = Scene.start(PLACES);
        Scene busy = Scene.start(PLACES);
        RawH2 load = busy.connect();
        WeightedCaller caller =
            WeightedCaller.of(
                false, errorPenalty, List.of(refused.rig().port(), busy.rig().port()))) {
      occupy(busy, load, 8);
      refused.rig().simulator().setFault(fault);
      Eventually.within(Duration.ofSeconds(20))
          .assertThat(
              "the gateway that works gets at least twice as much",
              () -> {
                int failed = caller.tries(100);
                return failed > 0 && failed <= 33;
              });
    }
  }

  @Test
  void everyAnswerCarriesAReportGoodOrBad() throws Exception {
    try (Scene scene = Scene.start(PLACES);
        RawH2 h2 = scene.connect()) {
      occupy(scene, h2, 8);
      CapturedMetadata told = new CapturedMetadata(scene.rig().callers().channel());
      LLMServiceGrpc.LLMServiceBlockingStub stub = LLMServiceGrpc.newBlockingStub(told.channel());
      Eventually.within(SOON)
          .assertThat(
              "half of the places in use",
              () -> {
                stub.complete(ask("").build());
                OrcaLoadReport report = report(told);
                return Math.abs(report.getApplicationUtilization() - 0.5) < 0.15
                    && report.getRpsFractional() > 0
                    && report.getEps() == 0
                    && report.getNamedMetricsOrThrow("in_flight_limit") == 16
                    && report.getNamedMetricsOrThrow("in_flight") >= 8
                    && report.getNamedMetricsOrThrow("num_requests_running") >= 8;
              });
      assertThrows(StatusRuntimeException.class, () -> stub.complete(ask("status=500").build()));
      assertTrue(told.trailers().containsKey(TRAILER));
      Eventually.within(SOON)
          .assertThat(
              "errors are told",
              () -> {
                stub.complete(ask("").build());
                return report(told).getEps() > 0;
              });
    }
  }

  @Test
  void reportsComeBesideTheCallsUntilTheGatewayStops() throws Exception {
    try (Scene scene = Scene.start(PLACES)) {
      RecordingObserver<OrcaLoadReportRequest, OrcaLoadReport> reports = RecordingObserver.eager();
      OpenRcaServiceGrpc.newStub(scene.rig().callers().channel())
          .streamCoreMetrics(
              OrcaLoadReportRequest.newBuilder().setReportInterval(Durations.fromMillis(1)).build(),
              reports);
      long begun = System.nanoTime();
      reports.awaitMessages(3, SOON);
      assertTrue(
          System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(1_900),
          "an interval below a second is taken for one");
      scene.rig().gateway().drainAndStop();
      assertEquals(Status.Code.OK, reports.awaitEnd(SOON).getCode());
    }
  }

  @Test
  void nothingIsToldWhereItIsTurnedOff() throws Exception {
    try (Rig rig = Rig.start(Map.of("load-reports", "false"))) {
      ManagedChannel channel = rig.callers().channel();
      CapturedMetadata told = new CapturedMetadata(channel);
      LLMServiceGrpc.newBlockingStub(told.channel()).complete(ask("").build());
      assertFalse(told.trailers().containsKey(TRAILER));
      StatusRuntimeException error =
          assertThrows(
              StatusRuntimeException.class,
              () ->
                  OpenRcaServiceGrpc.newBlockingStub(channel)
                      .streamCoreMetrics(OrcaLoadReportRequest.getDefaultInstance())
                      .hasNext());
      assertEquals(Status.Code.UNIMPLEMENTED, error.getStatus().getCode());
    }
  }
}
