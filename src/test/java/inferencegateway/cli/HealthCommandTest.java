package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HealthCommandTest {

  private FakeGateway gateway;

  @BeforeEach
  void start() throws IOException {
    gateway = FakeGateway.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    gateway.close();
    gateway.awaitTermination();
  }

  @Test
  void servingIsZero() {
    CliRun run = CliRun.of("health", "--target", gateway.target());
    assertEquals(new CliRun(0, "SERVING\n", ""), run);
  }

  @Test
  void anythingElseIsOne() {
    gateway.health.setStatus("readiness", ServingStatus.NOT_SERVING);
    CliRun run = CliRun.of("health", "--target", gateway.target(), "--service", "readiness");
    assertEquals(new CliRun(1, "NOT_SERVING\n", ""), run);
  }

  @Test
  void unknownServiceIsOneAndSaid() {
    CliRun run = CliRun.of("health", "--target", gateway.target(), "--service", "nobody");
    assertEquals(1, run.code());
    assertTrue(run.err().startsWith("error: NOT_FOUND"), run.err());
  }

  @Test
  void nobodyThereIsOneAndSaid() throws InterruptedException {
    String target = gateway.target();
    gateway.close();
    gateway.awaitTermination();
    CliRun run = CliRun.of("health", "--target", target);
    assertEquals(1, run.code());
    assertTrue(run.err().contains("Is the gateway running at " + target + "?"), run.err());
  }
}
