package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inference.InferenceServiceGrpc;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** O7: others use every core there is, and liveness still answers in time. */
class BusyMachineIT {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int PROBES = 200;
  private static final long MOST_MICROS = 200_000;

  private final Simulator simulator =
      new Simulator(SimulatorConfig.defaults().withJournal(false).withAnswerTokens(100_000));

  private final List<Process> burning = new ArrayList<>();

  @BeforeEach
  void start() {
    simulator.start();
  }

  @AfterEach
  void stop() {
    burning.forEach(Process::destroyForcibly);
    simulator.close();
  }

  private void burn() throws IOException {
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      // Ended by us, and after that much of a processor's time in any case.
      burning.add(new ProcessBuilder("sh", "-c", "ulimit -t 30; while :; do :; done").start());
    }
  }

  private static long probed(HealthNames health) {
    long[] micros = new long[PROBES];
    for (int i = 0; i < PROBES; i++) {
      long from = System.nanoTime();
      assertEquals(ServingStatus.SERVING, health.check("liveness"));
      micros[i] = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - from);
    }
    Arrays.sort(micros);
    return micros[PROBES * 99 / 100 - 1];
  }

  @Test
  void livenessIsToldInTime() throws Exception {
    try (Jar jar = Jar.serve(simulator.port(), "--health-listen=127.0.0.1:0");
        Callers callers = new Callers(jar.port());
        Callers probes = new Callers(jar.healthPort())) {
      Eventually.within(LONG)
          .assertThat("serving", () -> new HealthNames(callers.channel()).isServing());
      List<RecordingObserver<GenerateRequest, TokenResponse>> streams = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        RecordingObserver<GenerateRequest, TokenResponse> stream = RecordingObserver.eager();
        InferenceServiceGrpc.newStub(callers.channel())
            .generateStream(SeedCallers.generateRequest("Hi"), stream);
        streams.add(stream);
      }
      burn();
      HealthNames health = new HealthNames(probes.channel());
      long p99 = Long.MAX_VALUE;
      // The prober shares the busy cores, and others may be at work here: the best of five counts.
      for (int i = 0; i < 5 && p99 >= MOST_MICROS; i++) {
        p99 = Math.min(p99, probed(health));
      }
      assertTrue(p99 < MOST_MICROS, "p99 of a liveness probe in us: " + p99);
      streams.forEach(RecordingObserver::cancel);
    }
  }
}
