package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.testing.Callers;
import inferencegateway.testing.SeedCallers;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The port with a certificate, as settings turn it on. */
class TlsEndToEndTest {

  private static final Path FILES = Path.of("src/test/resources/tls/server").toAbsolutePath();

  private static final Map<String, String> ONE_SIDED =
      Map.of(
          "model", "simulated-model",
          "tls.cert", FILES + "/server.crt",
          "tls.key", FILES + "/server.key");

  private static final Map<String, String> MUTUAL =
      Map.of(
          "model", "simulated-model",
          "tls.cert", FILES + "/server.crt",
          "tls.key", FILES + "/server.key",
          "tls.client-ca", FILES + "/ca.crt",
          "health-listen", "127.0.0.1:0");

  @Test
  void bothContractsAreServedOverTls() throws IOException {
    try (Rig rig = Rig.start(ONE_SIDED)) {
      ManagedChannel channel = channel(rig, trusting().build());
      try {
        assertServed(channel);
      } finally {
        channel.shutdownNow();
      }
      assertRefused(rig.callers().channel());
    }
  }

  @Test
  void onlyClientsOfTheAuthorityAreLetInAndHealthAnswersBeside() throws IOException {
    try (Rig rig = Rig.start(MUTUAL)) {
      ManagedChannel known = channel(rig, as("client"));
      ManagedChannel stranger = channel(rig, as("stranger"));
      ManagedChannel anonymous = channel(rig, trusting().build());
      try {
        assertServed(known);
        assertRefused(stranger);
        assertRefused(anonymous);
      } finally {
        known.shutdownNow();
        stranger.shutdownNow();
        anonymous.shutdownNow();
      }
      try (Callers beside = new Callers(rig.gateway().healthPort())) {
        assertTrue(new HealthNames(beside.channel()).isServing());
      }
    }
  }

  private static void assertServed(ManagedChannel channel) {
    SeedCallers seeds = new SeedCallers(channel);
    assertFalse(seeds.generate("Hi").getContent().isEmpty());
    assertTrue(seeds.completeStream("Hi", Duration.ofSeconds(10)).size() > 1);
    assertTrue(new HealthNames(channel).isServing());
  }

  private static void assertRefused(ManagedChannel channel) {
    StatusRuntimeException e =
        assertThrows(StatusRuntimeException.class, () -> new SeedCallers(channel).generate("Hi"));
    assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
  }

  private static TlsChannelCredentials.Builder trusting() throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(file("ca.crt"));
  }

  private static ChannelCredentials as(String name) throws IOException {
    return trusting().keyManager(file(name + ".crt"), file(name + ".key")).build();
  }

  private static ManagedChannel channel(Rig rig, ChannelCredentials credentials) {
    return Grpc.newChannelBuilderForAddress("127.0.0.1", rig.port(), credentials)
        .overrideAuthority("localhost")
        .build();
  }

  private static File file(String name) {
    return FILES.resolve(name).toFile();
  }
}
