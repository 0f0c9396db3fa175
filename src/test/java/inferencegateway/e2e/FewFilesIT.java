package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that may open 64 files. */
class FewFilesIT {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final Simulator simulator = new Simulator(SimulatorConfig.defaults());

  @BeforeEach
  void start() {
    simulator.start();
  }

  @AfterEach
  void stop() {
    simulator.close();
  }

  @Test
  void callsWithoutASocketAreShedAndTheGatewayComesBack() throws Exception {
    try (Jar jar = Jar.serveWithFiles(64, simulator.port());
        Callers callers = new Callers(jar.port())) {
      ManagedChannel channel = callers.channel();
      HealthNames health = new HealthNames(callers.channel());
      Eventually.within(LONG).assertThat("serving", health::isServing);
      List<RecordingObserver<GenerateRequest, TokenResponse>> calls = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        RecordingObserver<GenerateRequest, TokenResponse> call = RecordingObserver.eager();
        InferenceServiceGrpc.newStub(channel)
            .generateStream(SeedCallers.generateRequest("[[sim:stall-after=1]] Hi"), call);
        calls.add(call);
      }
      Eventually.within(LONG)
          .assertThat(
              "some got no socket", () -> calls.stream().anyMatch(RecordingObserver::isEnded));
      for (RecordingObserver<GenerateRequest, TokenResponse> call : calls) {
        if (call.isEnded()) {
          ErrorDetails details = ErrorDetails.of(call.trailers());
          assertEquals("NO_SOCKETS", details.reason());
          assertTrue(details.retryInfo().isPresent());
        }
      }
      Eventually.within(LONG).assertThat("not ready", () -> !health.isServing());
      calls.forEach(RecordingObserver::cancel);
      Eventually.within(LONG).assertThat("ready again", health::isServing);
      assertTrue(
          InferenceServiceGrpc.newBlockingStub(channel)
              .generateStream(SeedCallers.generateRequest("Hi"))
              .hasNext());
    }
  }
}
