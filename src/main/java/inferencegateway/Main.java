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

  private static final String NETTY = "io.grpc.netty.shaded.io.netty.";

  /**
   * Netty would otherwise write its every DEBUG line before a command has read its own settings.
   */
  private static final LogConfig UNTIL_CONFIGURED =
      new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN);

  private Main() {}

  public static void main(String[] args) {
    presetNetty(args);
    followNames();
    refuseRenegotiation();
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
   * host: on a GPU server that is hundreds of gigabytes. And it would follow one buffer in 128 to
   * see whether it gets lost, at a price for each token; the tests follow every one. Must be said
   * before Netty is loaded; {@code -D} wins.
   */
  private static void presetNetty(String[] args) {
    long direct = DirectMemoryCap.of(Runtime.getRuntime().maxMemory(), memoryFor(args));
    presetUnlessGiven(NETTY + "maxDirectMemory", Long.toString(direct));
    presetUnlessGiven(NETTY + "leakDetection.level", "disabled");
  }

  /** Asking takes a tenth of a second, too much for the commands that end at once. */
  private static long memoryFor(String[] args) {
    boolean serves = args.length > 0 && (args[0].equals("serve") || args[0].equals("demo"));
    return serves ? DirectMemoryCap.memoryOfHost() : Long.MAX_VALUE;
  }

  private static void presetUnlessGiven(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /** Only matters where Netty's own TLS is not to be had: Java's would let callers ask for it. */
  private static void refuseRenegotiation() {
    presetUnlessGiven("jdk.tls.rejectClientInitiatedRenegotiation", "true");
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
