package inferencegateway.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The listener's TLS identity.
 *
 * @param certificate PEM chain, key {@code tls.cert}
 * @param key PEM PKCS#8 private key, key {@code tls.key}
 * @param clientCa PEM authorities whose clients are let in, key {@code tls.client-ca}; null: no
 *     client certificate is asked for
 */
public record TlsConfig(Path certificate, Path key, @Nullable Path clientCa) {}
