package inferencegateway.cli;

import inferencegateway.config.HostPort;
import picocli.CommandLine.Option;

/** Which gateway's admin port to ask. */
final class AdminTarget {

  private static final String DEFAULT = "127.0.0.1:9465";

  @Option(
      names = "--admin",
      paramLabel = "<host:port>",
      defaultValue = DEFAULT,
      description = "The gateway's admin-listen. Default: ${DEFAULT-VALUE}")
  private String address = DEFAULT;

  /** With the host in brackets where that is needed. */
  String address() {
    HostPort parsed;
    try {
      parsed = HostPort.parse(address);
    } catch (IllegalArgumentException e) {
      throw new UsageFault("--admin: must be host:port, as 127.0.0.1:9465, was " + address);
    }
    return parsed.host().equals("::") ? "127.0.0.1:" + parsed.port() : parsed.toString();
  }
}
