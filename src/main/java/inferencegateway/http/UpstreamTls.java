package inferencegateway.http;

import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import inferencegateway.config.Certificates;
import inferencegateway.config.CertifiedKey;
import inferencegateway.config.Reloadable;
import inferencegateway.config.StartFailure;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS towards one backend, or none where its URL is not {@code https}. What has been read again is
 * used from the next connection on; idle connections made before are given up. May be shared by
 * several clients of that backend. Thread-safe.
 */
public final class UpstreamTls implements Reloadable {

  private final String settings;
  private final BackendUrl backend;
  private final BackendTls config;

  /** Null: no TLS. Written by the reload thread, read by every loop. */
  private volatile @Nullable SslContext current;

  private UpstreamTls(String settings, BackendUrl backend, BackendTls config) {
    this.settings = settings;
    this.backend = backend;
    this.config = config;
  }

  /**
   * Reads the files for the first time.
   *
   * @param settings what comes before {@code .ca}, {@code .cert} and {@code .key} in their names,
   *     for messages
   * @throws IOException names the one whose file is wrong, in one line
   */
  public static UpstreamTls open(String settings, BackendUrl backend, BackendTls config)
      throws IOException {
    UpstreamTls tls = new UpstreamTls(settings, backend, config);
    tls.reload();
    return tls;
  }

  @Override
  public List<Path> files() {
    return backend.secure() ? config.files() : List.of();
  }

  /**
   * The context that it replaces is not released: a connection may be about to use it. Its memory
   * goes with the garbage collector.
   */
  @Override
  public void reload() throws IOException {
    if (backend.secure()) {
      current = read();
    }
  }

  private SslContext read() throws IOException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (config.authorities() != null) {
      builder.trustManager(
          Certificates.read(settings + ".ca", config.authorities())
              .toArray(new X509Certificate[0]));
    }
    if (config.certificate() != null && config.key() != null) {
      CertifiedKey own = CertifiedKey.read(settings, config.certificate(), config.key());
      builder.keyManager(own.key(), own.chain());
    }
    try {
      return builder
          .protocols("TLSv1.3", "TLSv1.2")
          .endpointIdentificationAlgorithm("HTTPS")
          .build();
    } catch (SSLException e) {
      throw new StartFailure(settings, "not usable for TLS: " + e.getMessage(), e);
    }
  }

  /** Changes with each reading; null: no TLS. */
  @Nullable Object edition() {
    return current;
  }

  /** For one connection. */
  @Nullable SslHandler newHandler(ByteBufAllocator allocator) {
    SslContext context = current;
    if (context == null) {
      return null;
    }
    String name = config.serverName() == null ? backend.host() : config.serverName();
    SslHandler handler = context.newHandler(allocator, name, backend.port());
    handler.setHandshakeTimeoutMillis(0); // The connect timeout covers it.
    return handler;
  }
}
