package inferencegateway;

import inferencegateway.cli.GatewayStarter;
import inferencegateway.cli.RunningGateway;
import inferencegateway.config.GatewayConfig;
import inferencegateway.server.GrpcListener;
import java.io.IOException;

/** Starts the real gateway, or tries what can be tried without its ports. */
final class GatewayStart implements GatewayStarter {

  @Override
  public RunningGateway start(GatewayConfig config) throws IOException {
    return Gateway.start(config);
  }

  @Override
  public void check(GatewayConfig config) throws IOException {
    Followed.open(config);
    GrpcListener.check(config.listener());
  }
}
