package inferencegateway;

import inferencegateway.cli.BackendForDemo;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;

/** The simulator as the backend that {@code demo} brings along. */
final class SimulatedBackend implements BackendForDemo {

  private final Simulator simulator;

  private SimulatedBackend(Simulator simulator) {
    this.simulator = simulator;
  }

  static SimulatedBackend start() {
    Simulator simulator = new Simulator(SimulatorConfig.defaults());
    simulator.start();
    return new SimulatedBackend(simulator);
  }

  @Override
  public String baseUrl() {
    return "http://127.0.0.1:" + simulator.port() + "/v1";
  }

  @Override
  public void close() {
    simulator.close();
  }
}
