package inferencegateway;

import inferencegateway.admission.Gate;
import inferencegateway.api.Services;
import inferencegateway.call.Calls;
import inferencegateway.config.GatewayConfig;
import inferencegateway.http.Loops;
import inferencegateway.route.Fleet;
import inferencegateway.route.Routes;
import inferencegateway.telemetry.AuditLog;
import inferencegateway.telemetry.CallListener;
import inferencegateway.telemetry.Tracing;
import java.io.IOException;
import java.net.InetAddress;
import java.util.function.BooleanSupplier;

/** Everything between a listener and the backends. */
record CallPath(Fleet fleet, Gate gate, Calls calls, Services services) implements AutoCloseable {

  /**
   * Makes it; contacts nothing but by the probes of {@code opening}.
   *
   * @param loops started; the listener's calls arrive on them
   * @param shortOfMemory whether calls are to be refused
   * @param listener told of every call at its end, on its loop
   * @throws IOException says in one line which file of which backend is wrong
   */
  static CallPath of(
      GatewayConfig config,
      Loops loops,
      Fleet.Opening opening,
      BooleanSupplier shortOfMemory,
      CallListener listener,
      AuditLog audit,
      Tracing tracing)
      throws IOException {
    Fleet fleet = new Fleet(config.routing(), opening, InetAddress::getAllByName);
    Gate gate = new Gate(config.admission(), shortOfMemory);
    Calls calls =
        new Calls(
            fleet.routes(),
            gate,
            config.call(),
            config.upstream().maxResponseBytes(),
            listener,
            audit,
            tracing);
    return new CallPath(fleet, gate, calls, new Services(calls, loops::current));
  }

  Routes routes() {
    return fleet.routes();
  }

  @Override
  public void close() {
    fleet.close();
  }
}
