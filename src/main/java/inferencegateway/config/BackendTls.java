package inferencegateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How one {@code https} backend is spoken to.
 *
 * @param authorities key {@code upstream.tls.ca}, PEM; null: those that Java trusts
 * @param certificate key {@code upstream.tls.cert}, PEM chain; null: none is shown
 * @param key key {@code upstream.tls.key}, PEM PKCS#8; null together with the certificate
 * @param serverName key {@code upstream.tls.server-name}; null: the URL's
 */
public record BackendTls(
    @Nullable Path authorities,
    @Nullable Path certificate,
    @Nullable Path key,
    @Nullable String serverName) {

  /** Java's authorities, no certificate, the URL's name. */
  public static final BackendTls DEFAULT = new BackendTls(null, null, null, null);

  /** What it is read from. */
  public List<Path> files() {
    return Stream.of(authorities, certificate, key).filter(Objects::nonNull).toList();
  }
}
