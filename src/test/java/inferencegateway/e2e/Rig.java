package inferencegateway.e2e;

import inferencegateway.Gateway;
import inferencegateway.config.Settings;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A gateway with a simulator behind it and callers in front, all over real sockets. */
final class Rig implements AutoCloseable {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final Simulator simulator;
  private final Gateway gateway;
  private final Callers callers;

  private Rig(Simulator simulator, Gateway gateway) {
    this.simulator = simulator;
    this.gateway = gateway;
    this.callers = new Callers(gateway.port());
  }

  /** Fast answers of 20 tokens; the defaults of the gateway but for a short drain. */
  static Rig start() {
    return start(sim -> sim, Map.of());
  }

  static Rig start(Map<String, String> settings) {
    return start(sim -> sim, settings);
  }

  /**
   * Returns when the gateway is ready.
   *
   * @param settings by key, over the defaults
   */
  static Rig start(UnaryOperator<SimulatorConfig> shape, Map<String, String> settings) {
    Simulator simulator =
        new Simulator(
            shape.apply(
                SimulatorConfig.defaults()
                    .withPace(Duration.ofMillis(5), Duration.ofMillis(2))
                    .withAnswerTokens(20)));
    simulator.start();
    Gateway gateway = gateway("http://127.0.0.1:" + simulator.port() + "/v1", settings);
    Rig rig = new Rig(simulator, gateway);
    rig.awaitReady();
    return rig;
  }

  /** A gateway alone, not awaited. */
  static Gateway gateway(String backend, Map<String, String> settings) {
    Map<String, String> flags = new HashMap<>();
    flags.put("listen", "127.0.0.1:0");
    flags.put("backend", backend);
    flags.put("drain.pause", "0s");
    flags.put("drain.grace", "0s");
    flags.put("metrics-listen", "off");
    flags.put("admin-listen", "off");
    flags.putAll(settings);
    try {
      return Gateway.start(Settings.read(flags, Map.of()).config());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitReady() {
    try {
      if (!gateway.awaitReady(LONG)) {
        throw new AssertionError("the gateway did not become ready");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  Simulator simulator() {
    return simulator;
  }

  Gateway gateway() {
    return gateway;
  }

  Callers callers() {
    return callers;
  }

  int port() {
    return gateway.port();
  }

  /** No call is left in the gateway and none at the backend. */
  void awaitQuiet() {
    Eventually.within(Duration.ofSeconds(5))
        .assertThat("no call is left in the gateway", () -> gateway.runningCalls() == 0);
    Eventually.within(Duration.ofSeconds(5))
        .assertThat("no answer is left at the backend", () -> simulator.counters().running() == 0);
  }

  @Override
  public void close() {
    callers.close();
    gateway.close();
    simulator.close();
  }
}
