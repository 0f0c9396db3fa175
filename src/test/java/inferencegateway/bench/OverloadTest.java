package inferencegateway.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.Gateway;
import inferencegateway.bench.Arrivals.Measured;
import inferencegateway.config.Settings;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * More calls than the backend can answer. The bounds that {@code bench --scenario overload} prints
 * are tighter (20 ms, 1.3): here callers, gateway, simulator and buffer tracking share one JVM with
 * other tests, so that a pause of one is a pause of all, and the windows are short.
 */
class OverloadTest {

  private static final Ask ASK = Scenario.OVERLOAD.ask();
  private static final Duration TTFT = Duration.ofMillis(100);

  /** Answers a second that eight slots can do at the very most. */
  private static final double CAPACITY = 8 / (0.1 + 19 * 0.02);

  private static final Duration DEADLINE = Duration.ofSeconds(3);

  private record Backed(Simulator simulator, Gateway gateway) implements AutoCloseable {

    static Backed start(Map<String, String> settings) throws Exception {
      Simulator simulator =
          new Simulator(
              SimulatorConfig.defaults()
                  .withPace(TTFT, ASK.pace())
                  .withSlots(8, SimulatorConfig.UNBOUNDED)
                  .withJournal(false));
      simulator.start();
      Map<String, String> flags = new HashMap<>(settings);
      flags.put("listen", "127.0.0.1:0");
      flags.put("backend", "http://127.0.0.1:" + simulator.port() + "/v1");
      flags.put("model", "simulated-model");
      flags.put("drain.pause", "0s");
      flags.put("drain.grace", "0s");
      Backed backed = new Backed(simulator, Gateway.start(Settings.read(flags, Map.of()).config()));
      assertTrue(backed.gateway.awaitReady(Duration.ofSeconds(20)));
      return backed;
    }

    @Override
    public void close() {
      gateway.close();
      simulator.close();
    }
  }

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }

  @Test
  void fiveTimesTheCapacityIsAnsweredAsWellAsTheCapacity() throws Exception {
    try (LoadLoops loops = new LoadLoops("load", 1);
        Backed backed = Backed.start(Map.of("admission.running", "16"));
        OpenLoop load = new OpenLoop(backed.gateway.port(), loops, ASK, DEADLINE, null, 1)) {
      Measured unloaded = load.run(CAPACITY / 4, seconds(1), seconds(5)).measured();
      Measured five = load.run(5 * CAPACITY, seconds(8), seconds(8)).measured();
      String figures = unloaded + "\n" + five;
      assertTrue(five.goodput() >= 0.9 * CAPACITY, figures);
      assertTrue(five.refusalP99() <= 60, figures);
      assertTrue(five.acceptedP99() <= 1.45 * unloaded.acceptedP99(), figures);
      assertEquals(0, five.lost(), figures);
    }
  }

  @Test
  void oneWhoFloodsTakesNothingFromTheOthers() throws Exception {
    List<OpenLoop> callers = new ArrayList<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (LoadLoops loops = new LoadLoops("load", 1);
        Backed backed = Backed.start(Map.of("admission.running", "8"))) {
      for (int i = 0; i <= 10; i++) {
        String from = "127.0.0." + (10 + i);
        callers.add(new OpenLoop(backed.gateway.port(), loops, ASK, DEADLINE, from, i));
      }
      List<Future<Arrivals>> loads = new ArrayList<>();
      for (OpenLoop caller : callers) {
        double rate = CAPACITY * (loads.isEmpty() ? 10 : 0.04);
        loads.add(threads.submit(() -> caller.run(rate, seconds(4), seconds(10))));
      }
      Measured flood = loads.get(0).get().measured();
      double offered = 0;
      double answered = 0;
      for (Future<Arrivals> light : loads.subList(1, loads.size())) {
        offered += light.get().measured().offered();
        answered += light.get().measured().goodput();
      }
      String figures = "light " + offered + " offered, " + answered + " answered; " + flood;
      assertTrue(answered >= 0.99 * offered, figures);
      assertTrue(flood.goodput() > 0.3 * CAPACITY, figures);
    } finally {
      threads.shutdownNow();
      callers.forEach(OpenLoop::close);
    }
  }
}
