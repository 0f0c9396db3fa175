package inferencegateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Where to listen.
 *
 * @param host literal address or name, without brackets; {@code ::} is every address of both
 *     families
 * @param port 0 to 65535; 0 lets the system choose
 */
public record HostPort(String host, int port) {

  private static final String EXPECTED =
      "must be an address and a port, such as [::]:50051, 127.0.0.1:50051 or :50051";

  public HostPort {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("must have a port from 0 to 65535");
    }
  }

  /**
   * {@code [::]:50051}, {@code 127.0.0.1:50051}, {@code name:50051}; {@code :50051} and {@code
   * 50051} mean every address.
   *
   * @throws IllegalArgumentException with words that go on after the key
   */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    int port = Hosts.port(text.substring(colon + 1), EXPECTED);
    return new HostPort(host.isEmpty() ? "::" : Hosts.bare(host, EXPECTED), port);
  }

  /** Whether nobody but this host can reach it. A name other than localhost may be any address. */
  public boolean isLoopback() {
    if (host.equalsIgnoreCase("localhost")) {
      return true;
    }
    try {
      return Hosts.isLiteral(host) && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
