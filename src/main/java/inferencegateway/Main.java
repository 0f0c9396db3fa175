package inferencegateway;

import inferencegateway.bench.BenchCommand;
import inferencegateway.bench.CopyProxyCommand;
import inferencegateway.cli.Cli;
import inferencegateway.cli.SimulateCommand;
import inferencegateway.cli.Wiring;
import inferencegateway.config.LogConfig;
import inferencegateway.telemetry.Logging;
import java.security.Security;
import java.util.List;

/** The jar's entry. */
public final class Main {

  /** Set by nobody: {@code -D} of the same name wins. */
  private static final String DIRECT_MEMORY = "io.grpc.netty.shaded.io.netty.maxDirectMemory";

  private static final long MOST_DIRECT_BYTES = 1L << 30;

  /**
   * Netty would otherwise write its every DEBUG line before a command has read its own settings.
   */
  private static final LogConfig UNTIL_CONFIGURED =
      new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN);

  private Main() {}

  public static void main(String[] args) {
    boundDirectMemory();
    followNames();
    Logging.start(UNTIL_CONFIGURED);
    Wiring wiring =
        new Wiring(
            new GatewayStart(),
            SimulatedBackend::start,
            List.of(new SimulateCommand(), new BenchCommand(), new CopyProxyCommand()));
    System.exit(Cli.run(args, wiring));
  }

  /**
   * Netty would take as much memory outside of the heap as the heap may have, a quarter of the
   * host: on a GPU server that is hundreds of gigabytes. Must be said before Netty is loaded.
   */
  private static void boundDirectMemory() {
    if (System.getProperty(DIRECT_MEMORY) == null) {
      long bytes = Math.min(Runtime.getRuntime().maxMemory(), MOST_DIRECT_BYTES);
      System.setProperty(DIRECT_MEMORY, Long.toString(bytes));
    }
  }

  /**
   * The JVM would keep a name's addresses for 30 s; the backend may have moved, and we ask anew
   * every few seconds.
   */
  private static void followNames() {
    if (Security.getProperty("networkaddress.cache.ttl") == null) {
      Security.setProperty("networkaddress.cache.ttl", "5");
    }
  }
}
