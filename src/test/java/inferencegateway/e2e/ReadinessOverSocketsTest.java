package inferencegateway.e2e;

import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.NOT_SERVING;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN;
import static io.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Empty;
import inferencegateway.Gateway;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.SeedCallers;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the probes of a load balancer see while a backend comes, goes and comes back. */
class ReadinessOverSocketsTest {

  private static final Duration LONG = Duration.ofSeconds(15);
  private static final String MODEL = "simulated-model";

  private final Simulator simulator =
      new Simulator(SimulatorConfig.defaults().withPace(Duration.ZERO, Duration.ZERO));

  private Gateway gateway;
  private Callers callers;
  private HealthNames health;

  @AfterEach
  void stop() {
    callers.close();
    gateway.close();
    simulator.close();
  }

  /** With the backend that listens on the simulator's port, whether it does so now or later. */
  private void gateway(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(Map.of("health.interval", "200ms", "model", MODEL));
    all.putAll(settings);
    gateway = Rig.gateway("http://127.0.0.1:" + simulator.port() + "/v1", all);
    callers = new Callers(gateway.port());
    health = new HealthNames(callers.channel());
  }

  private void awaitServing(boolean serving) {
    Eventually.within(LONG).assertThat("serving " + serving, () -> health.isServing() == serving);
  }

  private void assertReadinessIs(boolean serving) {
    for (String name : HealthNames.READINESS) {
      assertEquals(serving ? SERVING : NOT_SERVING, health.check(name), name);
    }
    assertEquals(SERVING, health.check("liveness"));
  }

  @Test
  void withoutBackendThePortIsOpenAndCallsSayWhenToComeBack() {
    simulator.start();
    simulator.stop();
    gateway(Map.of());
    assertReadinessIs(false);
    SeedCallers seeds = callers.seeds();
    assertEquals("unhealthy", seeds.health().getStatus());
    StatusRuntimeException e =
        assertThrows(StatusRuntimeException.class, () -> seeds.generate("Hi"));
    assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
    ErrorDetails details = ErrorDetails.of(e);
    assertEquals("UPSTREAM_CONNECT", details.reason());
    assertTrue(details.retryInfo().isPresent());
  }

  @Test
  void watchSeesEachComingAndGoingOnce() throws Exception {
    simulator.start();
    simulator.stop();
    gateway(Map.of());
    var watch = health.watch("");
    var service = health.watch("inference.InferenceService");
    watch.awaitMessages(1, LONG);
    simulator.start();
    awaitServing(true);
    assertReadinessIs(true);
    assertEquals("healthy", callers.seeds().health().getStatus());
    assertEquals(MODEL, callers.seeds().health().getModel());

    simulator.stop();
    awaitServing(false);
    assertReadinessIs(false);

    simulator.start();
    long back = System.nanoTime();
    awaitServing(true);
    Duration took = Duration.ofNanos(System.nanoTime() - back);
    assertTrue(took.compareTo(Duration.ofSeconds(2)) < 0, "one probe period is 1 s: " + took);

    watch.awaitMessages(4, LONG);
    service.awaitMessages(4, LONG);
    var expected = List.of(NOT_SERVING, SERVING, NOT_SERVING, SERVING);
    assertEquals(expected, HealthNames.statuses(watch));
    assertEquals(expected, HealthNames.statuses(service));
  }

  @Test
  void aBackendThatSaysItIsUnwellIsDownOnlyAfterThreeProbes() {
    simulator.start();
    gateway(Map.of());
    awaitServing(true);
    long from = System.nanoTime();
    simulator.setHealthy(false);
    awaitServing(false);
    long probes =
        simulator.requests().stream()
            .filter(request -> request.path().equals("/health") && request.arrival() - from > 0)
            .count();
    assertTrue(probes >= 3, "down after " + probes);
    assertEquals(SERVING, health.check("liveness"));
    simulator.setHealthy(true);
    awaitServing(true);
  }

  @Test
  void aBackendThatRefusesOurKeyIsDownAtOnce() {
    simulator.start();
    gateway(Map.of("health.failures", "1000"));
    awaitServing(true);
    simulator.stop();
    var guarded =
        SimulatorConfig.defaults().withAddress("127.0.0.1", simulator.port()).withApiKey("other");
    try (Simulator strict = new Simulator(guarded)) {
      strict.start();
      awaitServing(false);
      assertReadinessIs(false);
      StatusRuntimeException e =
          assertThrows(StatusRuntimeException.class, () -> callers.seeds().generate("Hi"));
      assertEquals(Status.Code.INTERNAL, e.getStatus().getCode());
      assertEquals("UPSTREAM_AUTH", ErrorDetails.of(e).reason());
    }
  }

  @Test
  void aBackendThatDiesAfterAServerErrorIsDownAtOnce() {
    simulator.start();
    gateway(Map.of("health.failures", "1000"));
    awaitServing(true);
    StatusRuntimeException e =
        assertThrows(
            StatusRuntimeException.class,
            () -> callers.seeds().generate("[[sim:status=500-empty;exit-after=100ms]]"));
    assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
    assertEquals("UPSTREAM_ERROR", ErrorDetails.of(e).reason());
    assertEquals("-1", ErrorDetails.of(e).pushback());
    awaitServing(false);
    assertEquals(SERVING, health.check("liveness"));
  }

  @Test
  void aServerErrorOfALiveBackendChangesNothing() {
    simulator.start();
    gateway(Map.of());
    var watch = health.watch("");
    awaitServing(true);
    // The watch hears of it on its own way, a moment later.
    Eventually.within(LONG)
        .assertThat("the watch knows", () -> HealthNames.statuses(watch).contains(SERVING));
    int before = watch.messages().size();
    assertThrows(
        StatusRuntimeException.class, () -> callers.seeds().generate("[[sim:status=500-empty]]"));
    long probes = simulator.requests().size();
    Eventually.within(LONG)
        .assertThat("more probes", () -> simulator.requests().size() > probes + 4);
    assertEquals(before, watch.messages().size());
    assertTrue(health.isServing());
  }

  @Test
  void namesThatNobodyServesAreUnknown() {
    simulator.start();
    gateway(Map.of());
    StatusRuntimeException e =
        assertThrows(StatusRuntimeException.class, () -> health.check("no.such.Service"));
    assertEquals(Status.Code.NOT_FOUND, e.getStatus().getCode());
    var watch = health.watch("no.such.Service");
    watch.awaitMessages(1, LONG);
    assertEquals(List.of(SERVICE_UNKNOWN), HealthNames.statuses(watch));
    watch.cancel();
  }

  @Test
  void listIsUnimplemented() {
    simulator.start();
    gateway(Map.of());
    MethodDescriptor<Empty, Empty> list =
        MethodDescriptor.<Empty, Empty>newBuilder()
            .setType(MethodType.UNARY)
            .setFullMethodName("grpc.health.v1.Health/List")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .build();
    StatusRuntimeException e =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingUnaryCall(
                    callers.channel(), list, CallOptions.DEFAULT, Empty.getDefaultInstance()));
    assertEquals(Status.Code.UNIMPLEMENTED, e.getStatus().getCode());
  }

  @Test
  void theHealthPortKnowsTheSameAndNothingElse() {
    simulator.start();
    gateway(Map.of("health-listen", "127.0.0.1:0"));
    awaitServing(true);
    try (Callers beside = new Callers(gateway.healthPort())) {
      HealthNames there = new HealthNames(beside.channel());
      for (String name : HealthNames.READINESS) {
        assertEquals(SERVING, there.check(name), name);
      }
      assertEquals(SERVING, there.check("liveness"));
      StatusRuntimeException e =
          assertThrows(StatusRuntimeException.class, () -> beside.seeds().generate("Hi"));
      assertEquals(Status.Code.UNIMPLEMENTED, e.getStatus().getCode());
      simulator.stop();
      Eventually.within(LONG).assertThat("not serving there", () -> !there.isServing());
    }
  }

  @Test
  void theBackendSeesNothingButProbesBeforeTheFirstCall() throws Exception {
    simulator.start();
    gateway(Map.of());
    awaitServing(true);
    simulator.requests().forEach(request -> assertEquals("GET", request.method(), request.path()));
    assertEquals(List.of(), simulator.chats());
    assertEquals(0, simulator.counters().tokens());
    callers.seeds().generate("Hi");
    assertTrue(simulator.awaitIdle(LONG));
    assertEquals(1, simulator.chats().size());
  }
}
