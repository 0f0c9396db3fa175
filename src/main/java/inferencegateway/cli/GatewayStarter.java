package inferencegateway.cli;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.StartFailure;
import java.io.IOException;

/** Puts a gateway together and starts it. */
public interface GatewayStarter {

  /**
   * Returns when its ports are open; whether it is ready shows later.
   *
   * @throws StartFailure where it can name the setting at fault
   * @throws IOException for any other fault; taken for one of {@code listen}. Nothing is left
   *     running
   */
  RunningGateway start(GatewayConfig config) throws IOException;

  /**
   * Tries what a start would do before it opens anything, such as reading the TLS files. Without it
   * nothing is tried.
   *
   * @throws IOException as {@link #start} would
   */
  default void check(GatewayConfig config) throws IOException {}
}
