package inferencegateway.server;

import inferencegateway.config.Certificates;
import inferencegateway.config.CertifiedKey;
import inferencegateway.config.Reloadable;
import inferencegateway.config.StartFailure;
import inferencegateway.config.TlsConfig;
import inferencegateway.config.Validity;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSsl;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener's TLS: 1.2 and 1.3, HTTP/2 by ALPN or nothing, callers' certificates on request.
 *
 * <p>Certificate, key and authorities are one unit: read together, found good together, and in
 * force for the next handshake together. Thread-safe.
 */
final class ServerTls implements Reloadable {

  private static final Logger log = LoggerFactory.getLogger(ServerTls.class);

  private static final SslProvider BEST =
      OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;

  private final TlsConfig config;
  private final SslProvider provider;

  /** Written by the reload thread, read at every handshake's start. */
  private volatile Identity current;

  /**
   * Certificate, key and authorities.
   *
   * @param end of the certificate's own chain
   */
  private record Identity(SslContext context, Instant end) {
    boolean isOver() {
      return Instant.now().isAfter(end);
    }
  }

  private ServerTls(TlsConfig config, SslProvider provider) throws IOException {
    this.config = config;
    this.provider = provider;
    this.current = read(config, provider);
  }

  /**
   * Reads the files for the first time.
   *
   * @throws IOException names the key whose file is wrong, in one line
   */
  static ServerTls open(TlsConfig config) throws IOException {
    return open(config, BEST);
  }

  static ServerTls open(TlsConfig config, SslProvider provider) throws IOException {
    return new ServerTls(config, provider);
  }

  /** For a server: each handshake takes what is in force when it begins. */
  SslContext context() {
    return new CurrentSslContext(() -> current.context());
  }

  @Override
  public List<Path> files() {
    return Stream.of(config.certificate(), config.key(), config.clientCa())
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * The context that it replaces is not released: handshakes may be about to use it. Its memory
   * goes when the last of its connections is gone and the garbage collector has seen it.
   *
   * @throws IOException also for a certificate that has expired, while the one in force has not
   */
  @Override
  public void reload() throws IOException {
    Identity next = read(config, provider);
    if (next.isOver() && !current.isOver()) {
      throw new IOException(
          "tls.cert: the certificate in "
              + config.certificate()
              + " has expired, on "
              + next.end()
              + "; the one in force is good until "
              + current.end());
    }
    current = next;
    warn("tls.cert", config.certificate());
    warn("tls.client-ca", config.clientCa());
  }

  /** At the start the configuration's own warnings say it. */
  private static void warn(String setting, @Nullable Path file) {
    if (file != null) {
      Validity.warnings(setting, file).forEach(log::warn);
    }
  }

  private static Identity read(TlsConfig config, SslProvider provider) throws IOException {
    CertifiedKey own = CertifiedKey.read("tls", config.certificate(), config.key());
    SslContextBuilder builder = SslContextBuilder.forServer(own.key(), own.chain());
    // Sets HTTP/2's ciphers and ALPN "h2"; a client that does not choose it is turned away.
    GrpcSslContexts.configure(builder, provider).protocols("TLSv1.3", "TLSv1.2");
    Path clientCa = config.clientCa();
    if (clientCa != null) {
      builder
          .trustManager(ClientTrust.in(Certificates.read("tls.client-ca", clientCa)))
          .clientAuth(ClientAuth.REQUIRE);
    }
    return new Identity(build(builder), end(own.chain()));
  }

  private static Instant end(X509Certificate[] chain) {
    return Arrays.stream(chain)
        .map(each -> each.getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  private static SslContext build(SslContextBuilder builder) throws IOException {
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new StartFailure("tls.cert, tls.key", "not usable for TLS: " + e.getMessage(), e);
    }
  }
}
