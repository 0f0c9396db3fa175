package inferencegateway.e2e;

import inferencegateway.testing.RecordingObserver;
import io.grpc.Channel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks {@code grpc.health.v1} over one channel. */
final class HealthNames {

  /** Those that follow readiness. */
  static final List<String> READINESS =
      List.of("", "readiness", "inference.InferenceService", "llm.v1.LLMService");

  private final Channel channel;

  HealthNames(Channel channel) {
    this.channel = channel;
  }

  ServingStatus check(String name) {
    return HealthGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .check(request(name))
        .getStatus();
  }

  boolean isServing() {
    return check("") == ServingStatus.SERVING;
  }

  RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch(String name) {
    RecordingObserver<HealthCheckRequest, HealthCheckResponse> seen = RecordingObserver.eager();
    HealthGrpc.newStub(channel).withWaitForReady().watch(request(name), seen);
    return seen;
  }

  static List<ServingStatus> statuses(
      RecordingObserver<HealthCheckRequest, HealthCheckResponse> watch) {
    return watch.messages().stream().map(HealthCheckResponse::getStatus).toList();
  }

  private static HealthCheckRequest request(String name) {
    return HealthCheckRequest.newBuilder().setService(name).build();
  }
}
