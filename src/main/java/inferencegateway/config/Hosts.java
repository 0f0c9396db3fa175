package inferencegateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Reads the host and the port of an address. Never resolves a name. */
final class Hosts {

  /** Underscores too: container networks hand out names with them. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,252})");

  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+(%[A-Za-z0-9_.-]+)?");
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+");
  private static final Pattern IPV4 =
      Pattern.compile("((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(?!$)|$)){4}");

  private Hosts() {}

  /** Whether it is an address, so that taking it for one asks no name server. */
  static boolean isLiteral(String host) {
    return host.indexOf(':') >= 0 || IPV4.matcher(host).matches();
  }

  /** 0 to 65535. */
  static int port(String text, String expected) {
    if (!PORT.matcher(text).matches()) {
      throw new IllegalArgumentException(expected);
    }
    int port = Integer.parseInt(text);
    if (port > 65535) {
      throw new IllegalArgumentException("must have a port from 0 to 65535");
    }
    return port;
  }

  /** The name or the literal address, the brackets of IPv6 taken off. */
  static String bare(String host, String expected) {
    if (host.startsWith("[") && host.endsWith("]")) {
      return ipv6(host.substring(1, host.length() - 1));
    }
    if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException("must have its IPv6 address in brackets, such as [::1]");
    }
    if (!NAME.matcher(host).matches()) {
      throw new IllegalArgumentException(expected);
    }
    if (NUMERIC.matcher(host).matches() && !IPV4.matcher(host).matches()) {
      throw new IllegalArgumentException("must have an IPv4 address of four numbers up to 255");
    }
    return host;
  }

  private static String ipv6(String address) {
    String fault = "must have a valid IPv6 address between the brackets";
    if (address.indexOf(':') < 0 || !IPV6.matcher(address).matches()) {
      throw new IllegalArgumentException(fault);
    }
    try {
      // In brackets it is read as a literal, without asking a name server.
      InetAddress.getByName("[" + address + "]");
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(fault, e);
    }
    return address;
  }
}
