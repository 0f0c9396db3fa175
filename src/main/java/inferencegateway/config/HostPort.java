package inferencegateway.config;

/**
 * Where to listen.
 *
 * @param host literal address or name, without brackets; {@code ::} is every address of both
 *     families
 * @param port 0 to 65535; 0 lets the system choose
 */
public record HostPort(String host, int port) {

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
