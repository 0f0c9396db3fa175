package inferencegateway.config;

import inferencegateway.auth.Listed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what an operator may not have meant about who gets in. */
final class AccessWarnings {

  private AccessWarnings() {}

  static List<String> of(GatewayConfig config) {
    List<String> warnings = new ArrayList<>();
    boolean certificates = asksForCertificates(config.listener());
    Path callers = config.access().callersFile();
    if (callers == null && !certificates && isOpenByAccident(config)) {
      warnings.add(
          "allow-any-caller: anybody who can reach "
              + config.listener().listen()
              + " may use the backend: set callers.file or tls.client-ca, listen on 127.0.0.1, or"
              + " say allow-any-caller: true");
    }
    if (!certificates) {
      warnings.addAll(unreachable(callers));
    }
    if (callers != null
        && config.listener().tls() == null
        && !config.listener().listen().isLoopback()) {
      warnings.add(
          "tls.cert: is not set, so that callers' keys reach "
              + config.listener().listen()
              + " unencrypted: set it, or see that a proxy or mesh encrypts");
    }
    return warnings;
  }

  private static boolean isOpenByAccident(GatewayConfig config) {
    return !config.access().allowAnyCaller() && !config.listener().listen().isLoopback();
  }

  private static boolean asksForCertificates(ListenerConfig listener) {
    return listener.tls() != null && listener.tls().clientCa() != null;
  }

  private static List<String> unreachable(@Nullable Path callers) {
    return callers == null
        ? List.of()
        : CallersFile.read(callers).stream()
            .filter(Listed::needsCertificate)
            .map(
                each ->
                    "callers.file: "
                        + each.caller()
                        + " is known by certificate only, but tls.client-ca is not set: it cannot"
                        + " call")
            .toList();
  }
}
