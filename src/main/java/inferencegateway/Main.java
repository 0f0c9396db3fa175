package inferencegateway;

import inferencegateway.bench.BenchCommand;
import inferencegateway.bench.CopyProxyCommand;
import inferencegateway.cli.Cli;
import inferencegateway.cli.SimulateCommand;
import inferencegateway.cli.Wiring;
import java.util.List;

/** The jar's entry. */
public final class Main {

  /** Set by nobody: {@code -D} of the same name wins. */
  private static final String DIRECT_MEMORY = "io.grpc.netty.shaded.io.netty.maxDirectMemory";

  private static final long MOST_DIRECT_BYTES = 1L << 30;

  private Main() {}

  public static void main(String[] args) {
    boundDirectMemory();
    Wiring wiring =
        new Wiring(
            Gateway::start,
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
}
