package inferencegateway.server;

import inferencegateway.config.HostPort;
import inferencegateway.config.StartFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where one listener binds, and what is said when it cannot.
 *
 * @param key the setting that names the address, for messages
 */
record ListenAddress(String key, HostPort hostPort) {

  private static final Logger log = LoggerFactory.getLogger(ListenAddress.class);

  interface Binder<T> {
    T bind(InetSocketAddress address) throws IOException;
  }

  /**
   * Binds; on a host without IPv6 {@code [::]} becomes {@code 0.0.0.0}. A port in use is no such
   * case: the other family alone would be a surprise.
   *
   * @throws IOException names key, address and reason, in one line
   */
  <T> T bind(Binder<T> binder) throws IOException {
    try {
      return binder.bind(resolve(hostPort.host()));
    } catch (IOException | RuntimeException e) {
      if (!hostPort.host().equals("::") || inUse(e)) {
        throw failure(e);
      }
      return bindWithoutIpv6(binder, e);
    }
  }

  private <T> T bindWithoutIpv6(Binder<T> binder, Exception first) throws IOException {
    try {
      T bound = binder.bind(resolve("0.0.0.0"));
      log.info("{}: no IPv6 here, listening on 0.0.0.0:{}", key, hostPort.port());
      return bound;
    } catch (IOException | RuntimeException e) {
      IOException failure = failure(e);
      failure.addSuppressed(first);
      throw failure;
    }
  }

  private InetSocketAddress resolve(String host) throws IOException {
    InetSocketAddress address = new InetSocketAddress(host, hostPort.port());
    if (address.isUnresolved()) {
      throw new IOException("the name cannot be resolved");
    }
    return address;
  }

  private IOException failure(Exception e) {
    String reason =
        inUse(e)
            ? "address already in use; stop what listens there or choose another port"
            : root(e).getMessage();
    return new StartFailure(key, "cannot listen on " + hostPort + ": " + reason, e);
  }

  private static boolean inUse(Exception e) {
    return String.valueOf(root(e).getMessage()).toLowerCase(Locale.ROOT).contains("already in use");
  }

  private static Throwable root(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
