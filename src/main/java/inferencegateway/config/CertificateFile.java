package inferencegateway.config;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file of certificates that this gateway goes by.
 *
 * @param setting that names it
 * @param authorities whether it says whom to trust: then it is good as long as one of them is, as a
 *     file that changes from one authority to the next holds both
 */
public record CertificateFile(String setting, Path file, boolean authorities) {

  /** All that the configuration names. */
  public static List<CertificateFile> of(GatewayConfig config) {
    List<CertificateFile> all = new ArrayList<>();
    TlsConfig tls = config.listener().tls();
    if (tls != null) {
      add(all, Keys.TLS_CERT.key(), tls.certificate(), false);
      add(all, Keys.TLS_CLIENT_CA.key(), tls.clientCa(), true);
    }
    for (BackendConfig backend : config.routing().backends()) {
      add(all, "backend " + backend.name(), backend.tls().certificate(), false);
      add(all, "backend " + backend.name(), backend.tls().authorities(), true);
    }
    return List.copyOf(all);
  }

  private static void add(
      List<CertificateFile> to, String setting, @Nullable Path file, boolean authorities) {
    if (file != null && to.stream().noneMatch(each -> each.file().equals(file))) {
      to.add(new CertificateFile(setting, file, authorities));
    }
  }

  /** What there is to be told of it at that time; one line each. */
  public List<String> warnings(Instant now) {
    return Validity.warnings(setting, file, now);
  }

  /** When it stops being good; empty where it cannot be read. */
  public Optional<Instant> end() {
    return Validity.end(setting, file, authorities);
  }
}
