package inferencegateway;

import inferencegateway.admin.AdminService;
import inferencegateway.admin.Tally;
import inferencegateway.admin.Watched;
import inferencegateway.cli.Version;
import inferencegateway.config.GatewayConfig;
import inferencegateway.health.Readiness;
import inferencegateway.load.LoadMeter;
import inferencegateway.server.AdminListener;
import inferencegateway.server.GrpcListener;
import inferencegateway.telemetry.CallRecord;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The admin port and what it counts. */
final class OperatorView implements AutoCloseable {

  private final Tally tally = new Tally();
  private final AdminListener listener;

  /**
   * @param load null: load reports are off
   */
  OperatorView(
      GatewayConfig config,
      Readiness readiness,
      CallPath path,
      GrpcListener calls,
      @Nullable LoadMeter load) {
    Watched watched =
        new Watched(
            Version.of("version"),
            Instant.now(),
            readiness,
            path.calls(),
            path.gate(),
            path.routes(),
            calls::connections,
            config.listener().maxConnections(),
            config.admission().waiting(),
            load,
            tally);
    this.listener =
        new AdminListener(config.telemetry().admin(), new AdminService(watched).service());
  }

  void start() throws IOException {
    listener.start();
  }

  void ended(CallRecord call) {
    tally.count(call.outcome());
  }

  /** Where it is served; -1: nowhere. */
  int port() {
    return listener.port();
  }

  @Override
  public void close() {
    listener.close();
  }
}
