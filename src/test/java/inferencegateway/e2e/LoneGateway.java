package inferencegateway.e2e;

import inferencegateway.Gateway;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A gateway in front of whatever the test put behind it, and one caller's connection. */
final class LoneGateway implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Gateway gateway;
  private final Callers callers;
  private final Channel channel;

  private LoneGateway(Gateway gateway) {
    this.gateway = gateway;
    this.callers = new Callers(gateway.port());
    this.channel = callers.channel();
  }

  /** In front of a TCP port; not awaited. */
  static LoneGateway before(int port, Map<String, String> settings) {
    return before("http://127.0.0.1:" + port + "/v1", settings);
  }

  static LoneGateway before(String backend, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(Map.of("model", "simulated-model"));
    all.putAll(settings);
    return new LoneGateway(Rig.gateway(backend, all));
  }

  LoneGateway ready() {
    awaitHealth(ServingStatus.SERVING);
    return this;
  }

  Channel channel() {
    return channel;
  }

  Gateway gateway() {
    return gateway;
  }

  /** What {@code grpc.health.v1} says under this name. */
  ServingStatus health(String name) {
    try {
      return HealthGrpc.newBlockingStub(channel)
          .check(HealthCheckRequest.newBuilder().setService(name).build())
          .getStatus();
    } catch (StatusRuntimeException e) {
      throw new AssertionError("no health of '" + name + "'", e);
    }
  }

  void awaitHealth(ServingStatus status) {
    Eventually.within(LIMIT).assertThat(status.name(), () -> health("llm.v1.LLMService") == status);
  }

  void awaitQuiet() {
    Eventually.within(Duration.ofSeconds(5))
        .assertThat("no call is left", () -> gateway.runningCalls() == 0);
  }

  @Override
  public void close() {
    callers.close();
    gateway.close();
  }
}
