package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Authority;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.Issued;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.TlsFront;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend behind TLS that asks for the gateway's own certificate. */
class UpstreamTlsTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private final Authority backends = new Authority("CN=Backends");
  private final Authority gateways = new Authority("CN=Gateways");

  @TempDir private Path folder;
  private Simulator simulator;
  private TlsFront front;
  private Issued first;

  @BeforeEach
  void start() throws IOException {
    simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ofMillis(1), Duration.ofMillis(15))
                .withAnswerTokens(20));
    simulator.start();
    front =
        TlsFront.before(
            simulator.port(), backends.to("CN=gpu").dns("gpu.corp").issue(), gateways.self());
    backends.self().write(folder, "ca");
    first = gateways.to("CN=gateway").issue();
    first.write(folder, "own");
    Files.writeString(folder.resolve("api-key"), "first-key-of-two");
  }

  @AfterEach
  void stop() {
    front.close();
    simulator.close();
  }

  private LoneGateway gateway(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("upstream.tls.ca", folder.resolve("ca.crt").toString());
    settings.put("upstream.tls.cert", folder.resolve("own.crt").toString());
    settings.put("upstream.tls.key", folder.resolve("own.key").toString());
    settings.put("upstream.tls.server-name", "gpu.corp");
    settings.put("api-key-file", folder.resolve("api-key").toString());
    settings.put("reload.interval", "10ms");
    settings.put("health.interval", "50ms");
    settings.put("health.down-interval", "50ms");
    settings.putAll(more);
    settings.values().removeIf(String::isEmpty);
    return LoneGateway.before("https://127.0.0.1:" + front.port() + "/v1", settings);
  }

  @Test
  void everyMethodIsServedOverMutualTls() {
    try (LoneGateway gateway = gateway(Map.of()).ready()) {
      for (AskedMethod method : AskedMethod.values()) {
        method.ask(gateway.channel(), "over TLS").assertAnswered();
      }
      assertEquals(4, simulator.chats().size());
      front.shown().forEach(shown -> assertEquals(first.certificate(), shown));
    }
  }

  @Test
  void leavingCallerStopsTheBackendThroughTls() {
    simulator.close();
    simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ofMillis(1), Duration.ofMillis(20))
                .withAnswerTokens(500));
    simulator.start();
    front.close();
    front =
        TlsFront.before(
            simulator.port(), backends.to("CN=gpu").dns("gpu.corp").issue(), gateways.self());
    try (LoneGateway gateway = gateway(Map.of()).ready()) {
      RecordingObserver<CompleteRequest, TokenChunk> stream = RecordingObserver.eager();
      LLMServiceGrpc.newStub(gateway.channel())
          .completeStream(AskedMethod.complete("long"), stream);
      stream.awaitMessages(3, SOON);
      stream.cancel();
      Eventually.within(SOON)
          .assertThat("the backend stops", () -> simulator.chats().get(0).aborted());
    }
  }

  @Test
  void withoutAGoodCertificateOnEitherSideNothingIsSent() {
    for (Map<String, String> wrong :
        List.of(
            Map.of("upstream.tls.server-name", "other.corp"),
            Map.of("upstream.tls.server-name", ""),
            Map.of("upstream.tls.ca", ""),
            Map.of("upstream.tls.cert", "", "upstream.tls.key", ""))) {
      try (LoneGateway gateway = gateway(wrong)) {
        Told told = AskedMethod.COMPLETE.ask(gateway.channel(), "hello");
        assertTrue(told.reason().startsWith("UPSTREAM_"), () -> wrong + ": " + told.summary());
        assertTrue(simulator.chats().isEmpty(), wrong::toString);
      }
    }
  }

  @Test
  void newCertificateAndKeyAreUsedWithoutARestartAndARunningAnswerGoesOn() throws IOException {
    try (LoneGateway gateway = gateway(Map.of("upstream.idle", "60s")).ready()) {
      AskedMethod.COMPLETE.ask(gateway.channel(), "one").assertAnswered();
      RecordingObserver<CompleteRequest, TokenChunk> running = RecordingObserver.eager();
      LLMServiceGrpc.newStub(gateway.channel())
          .completeStream(AskedMethod.complete("go on"), running);
      running.awaitMessages(1, SOON);

      Issued next = gateways.to("CN=gateway").issue();
      next.write(folder, "own");
      Files.writeString(folder.resolve("api-key"), "second-key-of-two");
      BigInteger serial = next.certificate().getSerialNumber();
      Eventually.within(SOON)
          .passes(
              () -> {
                AskedMethod.COMPLETE.ask(gateway.channel(), "two").assertAnswered();
                var last = simulator.chats().get(simulator.chats().size() - 1);
                assertEquals("Bearer second-key-of-two", last.headers().get("authorization"));
                assertTrue(
                    front.shown().stream().anyMatch(c -> c.getSerialNumber().equals(serial)));
              });
      assertTrue(running.awaitEnd(SOON).isOk());
      assertEquals(
          "Bearer first-key-of-two", simulator.chats().get(0).headers().get("authorization"));
    }
  }

  @Test
  void keyOfAnotherCertificateIsRefusedAtTheStartAndKeptOutLater() throws IOException {
    try (LoneGateway gateway = gateway(Map.of()).ready()) {
      Files.writeString(folder.resolve("own.key"), gateways.to("CN=gateway").issue().keyPem());
      Files.writeString(folder.resolve("api-key"), "two\nlines");
      gateway.gateway().reload();
      AskedMethod.COMPLETE.ask(gateway.channel(), "still").assertAnswered();
      assertFalse(simulator.chats().isEmpty());
    }
    AssertionError e =
        assertThrows(AssertionError.class, () -> gateway(Map.of("api-key-file", "")));
    assertTrue(
        String.valueOf(e.getMessage())
            .contains("upstream.tls.key: not the key of the certificate in upstream.tls.cert"),
        e::getMessage);
  }
}
