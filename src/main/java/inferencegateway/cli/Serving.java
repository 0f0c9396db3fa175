package inferencegateway.cli;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.StartFailure;
import java.io.IOException;
import java.util.Locale;

/** Runs a gateway from its start to its orderly end. */
final class Serving {

  private final GatewayStarter starter;
  private final Terminal terminal;

  Serving(GatewayStarter starter, Terminal terminal) {
    this.starter = starter;
    this.terminal = terminal;
  }

  /** What is done once the gateway's ports are open. */
  interface Started {
    void with(RunningGateway gateway) throws InterruptedException;
  }

  /** Returns the exit code when the gateway is no more. */
  int run(GatewayConfig config, Started started) throws InterruptedException {
    RunningGateway gateway;
    try {
      gateway = starter.start(config);
    } catch (IOException e) {
      terminal.say("error: " + described(e, config));
      return ExitCode.FAILED;
    }
    StopSignals signals = StopSignals.install(gateway::drainAndStop);
    try (gateway;
        signals) {
      started.with(gateway);
      gateway.awaitTermination();
    }
    return ExitCode.OK;
  }

  private static String described(IOException e, GatewayConfig config) {
    if (e instanceof StartFailure failure) {
      return String.valueOf(failure.getMessage());
    }
    return "listen: cannot listen on " + config.listener().listen() + ": " + reason(e);
  }

  /** The innermost cause names the system's own reason. */
  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = String.valueOf(cause.getMessage());
    return text.toLowerCase(Locale.ROOT).contains("address already in use")
        ? "address already in use; stop what listens there or choose another port, such as"
            + " --listen :50052"
        : text;
  }
}
