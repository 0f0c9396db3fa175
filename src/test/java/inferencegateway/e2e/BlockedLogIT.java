package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import inference.Inference.GenerateRequest;
import inference.Inference.GenerateResponse;
import inference.InferenceServiceGrpc;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.MetricsPageText;
import inferencegateway.testing.SeedCallers;
import io.grpc.ManagedChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** O10: nobody reads the log, or the disk that it goes to is full. Calls go on. */
class BlockedLogIT {

  private static final Duration LONG = Duration.ofSeconds(20);

  /** More lines than a pipe and the gateway's own places for waiting lines hold. */
  private static final int CALLS = 10_000;

  private final Simulator simulator =
      new Simulator(
          SimulatorConfig.defaults()
              .withPace(Duration.ZERO, Duration.ZERO)
              .withAnswerTokens(2)
              .withJournal(false));

  @BeforeEach
  void start() {
    simulator.start();
  }

  @AfterEach
  void stop() {
    simulator.close();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void assertCallsGoOn(int port, int calls) {
    try (Callers callers = new Callers(port)) {
      ManagedChannel channel = callers.channel();
      HealthNames health = new HealthNames(channel);
      Eventually.within(LONG).assertThat("serving", health::isServing);
      GenerateRequest request = SeedCallers.generateRequest("Hi");
      Semaphore atOnce = new Semaphore(64);
      AtomicInteger answered = new AtomicInteger();
      for (int i = 0; i < calls; i++) {
        atOnce.acquireUninterruptibly();
        ListenableFuture<GenerateResponse> answer =
            InferenceServiceGrpc.newFutureStub(channel).generate(request);
        answer.addListener(() -> count(answer, answered, atOnce), Runnable::run);
      }
      atOnce.acquireUninterruptibly(64);
      assertEquals(calls, answered.get());
      assertTrue(health.isServing());
    }
  }

  private static void count(
      ListenableFuture<GenerateResponse> answer, AtomicInteger answered, Semaphore atOnce) {
    try {
      answer.get();
      answered.incrementAndGet();
    } catch (InterruptedException | ExecutionException e) {
      // Then the sum is wrong.
    } finally {
      atOnce.release();
    }
  }

  @Test
  void whoeverReadsTheLogMayStopReading() throws Exception {
    int port = freePort();
    Process gateway =
        Jar.process(
            simulator.port(),
            "--listen=127.0.0.1:" + port,
            "--drain-pause=0s",
            "--admission-adaptive=false");
    List<String> lines = new CopyOnWriteArrayList<>();
    try (BufferedReader from = gateway.inputReader(StandardCharsets.UTF_8)) {
      assertCallsGoOn(port, CALLS);
      Thread reader = new Thread(() -> from.lines().forEach(lines::add), "late reader");
      reader.start();
      Eventually.within(LONG)
          .passes(
              () -> {
                assertCallsGoOn(port, 1);
                assertTrue(lines.stream().anyMatch(line -> line.contains("lines were dropped")));
              });
      gateway.toHandle().destroy();
      assertTrue(gateway.waitFor(LONG.toSeconds(), TimeUnit.SECONDS));
      reader.join();
      assertTrue(lines.get(lines.size() - 1).contains("Stopped"), lines.get(lines.size() - 1));
    } finally {
      gateway.destroyForcibly();
    }
  }

  @Test
  void itEndsInTimeThoughNobodyReads() throws Exception {
    int port = freePort();
    Process gateway =
        Jar.process(
            simulator.port(),
            "--listen=127.0.0.1:" + port,
            "--drain-pause=0s",
            "--admission-adaptive=false");
    try {
      assertCallsGoOn(port, 1_000);
      gateway.toHandle().destroy();
      assertTrue(gateway.waitFor(LONG.toSeconds(), TimeUnit.SECONDS));
    } finally {
      gateway.destroyForcibly();
    }
  }

  /** A full disk, and standard error closed by whoever started it. */
  @ParameterizedTest
  @ValueSource(strings = {">/dev/full 2>&1", ">/dev/null 2>&-"})
  void theLogMayBeUnwritable(String redirection) throws Exception {
    int port = freePort();
    int metrics = freePort();
    List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" " + redirection, "sh"));
    command.addAll(
        Jar.builder(
                simulator.port(),
                "--listen=127.0.0.1:" + port,
                "--metrics-listen=127.0.0.1:" + metrics,
                "--drain-pause=0s",
                "--admission-adaptive=false")
            .command());
    Process gateway = new ProcessBuilder(command).start();
    try {
      assertCallsGoOn(port, 50);
      Eventually.within(LONG)
          .assertThat(
              "lost lines are counted",
              () -> MetricsPageText.read(metrics).sum("inference_gateway_log_dropped_total") >= 50);
      gateway.toHandle().destroy();
      assertTrue(gateway.waitFor(LONG.toSeconds(), TimeUnit.SECONDS));
      assertEquals(0, gateway.exitValue());
    } finally {
      gateway.destroyForcibly();
    }
  }
}
