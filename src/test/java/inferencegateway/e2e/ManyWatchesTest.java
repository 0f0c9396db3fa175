package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.InferenceServiceGrpc;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** O11: a thousand who watch the health, on one connection, as many as it may carry. */
class ManyWatchesTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int WATCHES = 1_000;

  private static List<RecordingObserver<HealthCheckRequest, HealthCheckResponse>> watches(
      HealthNames health) {
    List<RecordingObserver<HealthCheckRequest, HealthCheckResponse>> all = new ArrayList<>();
    for (int i = 0; i < WATCHES; i++) {
      all.add(health.watch("readiness"));
    }
    return all;
  }

  @Test
  void allAreToldAndEndWithTheGateway() {
    try (Rig rig = Rig.start(Map.of("drain.grace", "5s"))) {
      var watches = watches(new HealthNames(rig.callers().channel()));
      watches.forEach(watch -> watch.awaitMessages(1, LONG));
      GenerateRequest hello = SeedCallers.generateRequest("Hi");
      assertFalse(
          InferenceServiceGrpc.newBlockingStub(rig.callers().channel())
              .generate(hello)
              .getContent()
              .isEmpty());
      rig.gateway().close();
      for (var watch : watches) {
        assertTrue(watch.awaitEnd(LONG).isOk());
        assertEquals(
            List.of(ServingStatus.SERVING, ServingStatus.NOT_SERVING), HealthNames.statuses(watch));
      }
    }
  }

  private static long told(
      List<RecordingObserver<HealthCheckRequest, HealthCheckResponse>> watches) {
    return watches.stream().filter(watch -> !watch.messages().isEmpty()).count();
  }

  @Test
  void oneConnectionCarriesNoMoreThanItMay() {
    try (Rig rig = Rig.start(Map.of("connection.max-streams", "100"))) {
      HealthNames health = new HealthNames(rig.callers().channel());
      // Before that the client does not know how many it may open.
      assertTrue(health.isServing());
      var watches = watches(health);
      watches.subList(0, 100).forEach(watch -> watch.awaitMessages(1, LONG));
      assertEquals(100, told(watches));
      watches.forEach(RecordingObserver::cancel);
    }
  }
}
