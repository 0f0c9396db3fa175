package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The network between the gateway and one of its backends goes wrong. */
class BackendsBehindANetworkTest {

  private static final String PREFER_B0 =
      "models:\n"
          + "  m:\n"
          + "    targets:\n"
          + "      - {backends: [b0], model: simulated-model, weight: 1}\n"
          + "      - {backends: [b1], model: simulated-model, weight: 0}\n";

  private static Fleet slowFleet(Map<String, String> settings) {
    return Fleet.of(
        2,
        sim -> sim.withPace(Duration.ofMillis(5), Duration.ofMillis(40)).withAnswerTokens(100),
        PREFER_B0,
        settings);
  }

  private static StatusRuntimeException broken(Iterator<TokenChunk> stream) {
    return assertThrows(StatusRuntimeException.class, () -> stream.forEachRemaining(chunk -> {}));
  }

  @Test
  void aHalfOpenBackendIsFoundByItsProbesAndTheOtherServes() {
    try (Fleet fleet = slowFleet(Map.of("health.timeout", "200ms", "gap-timeout", "3s"))) {
      Iterator<TokenChunk> stream = fleet.caller().open("m");
      stream.next();
      fleet.proxy(0).freeze();
      assertEquals("INTER_TOKEN_TIMEOUT", ErrorDetails.of(broken(stream)).reason());
      fleet.named("served").complete("m");
      assertEquals("b1", fleet.line("served").get("backend"));
      fleet.proxy(0).thaw();
      Eventually.within(Fleet.SOON)
          .assertThat(
              "it serves again",
              () -> {
                int before = fleet.chats(0).size();
                fleet.caller().complete("m");
                return fleet.chats(0).size() > before;
              });
    }
  }

  @Test
  void resetInTheMiddleOfAnAnswerIsNotRepeatedElsewhere() {
    try (Fleet fleet = slowFleet(Map.of())) {
      fleet.proxy(0).toClient().cut(1);
      Iterator<TokenChunk> stream = fleet.named("cut").open("m");
      stream.next();
      fleet.proxy(0).resetAll();
      StatusRuntimeException ended = broken(stream);
      assertEquals("-1", ErrorDetails.of(ended).pushback());
      assertEquals("b0", fleet.line("cut").get("backend"));
      assertEquals(0, fleet.chats(1).size());
    }
  }

  @Test
  void singleBytesThatComeLateMakeTheSameAnswer() {
    try (Fleet fleet = Fleet.of(2, PREFER_B0)) {
      String plain = text(seeded(fleet));
      fleet.proxy(0).toClient().cut(1);
      fleet.proxy(0).toClient().delay(Duration.ofMillis(30));
      assertEquals(plain, text(seeded(fleet)));
      assertEquals(2, fleet.chats(0).size());
    }
  }

  private static Iterator<TokenChunk> seeded(Fleet fleet) {
    CompleteRequest.Builder ask = Scene.ask("").setModel("m");
    ask.getSamplingBuilder().setSeed(7);
    return fleet.caller().stub().completeStream(ask.build());
  }

  private static String text(Iterator<TokenChunk> answer) {
    StringBuilder all = new StringBuilder();
    answer.forEachRemaining(chunk -> all.append(chunk.getToken()));
    assertTrue(all.length() > 0);
    return all.toString();
  }

  @Test
  void whatAStoppingBackendBreaksOffIsCalledThat() {
    try (Fleet fleet = slowFleet(Map.of("health.failures", "100"))) {
      Iterator<TokenChunk> stream = fleet.caller().open("m");
      stream.next();
      long probes = failedProbes(fleet);
      fleet.simulator(0).setHealthy(false);
      Eventually.within(Fleet.SOON)
          .assertThat("a probe has failed", () -> failedProbes(fleet) > probes + 1);
      fleet.proxy(0).resetAll();
      assertEquals("UPSTREAM_SHUTDOWN", ErrorDetails.of(broken(stream)).reason());
    }
  }

  private static long failedProbes(Fleet fleet) {
    return fleet.simulator(0).requests().stream()
        .filter(request -> request.path().equals("/health") && request.end().isPresent())
        .count();
  }

  @Test
  void healthIsAlsoToldModelByModel() {
    String models =
        "models:\n"
            + "  one: {targets: [{backends: [b0], model: simulated-model}], aliases: [uno]}\n"
            + "  two: {targets: [{backends: [b1], model: simulated-model}]}\n";
    try (Fleet fleet = Fleet.of(2, models)) {
      awaitHealth(fleet, "model/one", ServingStatus.SERVING);
      awaitHealth(fleet, "model/two", ServingStatus.SERVING);
      fleet.simulator(0).setHealthy(false);
      awaitHealth(fleet, "model/one", ServingStatus.NOT_SERVING);
      awaitHealth(fleet, "model/uno", ServingStatus.NOT_SERVING);
      awaitHealth(fleet, "model/two", ServingStatus.SERVING);
      awaitHealth(fleet, "", ServingStatus.SERVING);
    }
  }

  private static void awaitHealth(Fleet fleet, String name, ServingStatus status) {
    HealthGrpc.HealthBlockingStub stub = HealthGrpc.newBlockingStub(fleet.callers().channel());
    HealthCheckRequest ask = HealthCheckRequest.newBuilder().setService(name).build();
    Eventually.within(Fleet.SOON)
        .assertThat(name + " is " + status, () -> stub.check(ask).getStatus() == status);
  }
}
