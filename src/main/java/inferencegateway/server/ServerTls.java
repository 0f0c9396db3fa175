package inferencegateway.server;

import inferencegateway.config.TlsConfig;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The listener's TLS: 1.2 and 1.3, HTTP/2 by ALPN or nothing, callers' certificates on request. */
final class ServerTls {

  private ServerTls() {}

  /**
   * Reads the files, once.
   *
   * @throws IOException names the key whose file is wrong, in one line
   */
  static SslContext read(TlsConfig config) throws IOException {
    byte[] certificate = certificates("tls.cert", config.certificate());
    byte[] key = bytes("tls.key", config.key());
    Path clientCa = config.clientCa();
    byte[] authorities = clientCa == null ? null : certificates("tls.client-ca", clientCa);
    try {
      return context(identity(certificate, key, config.key()), authorities);
    } catch (SSLException e) {
      throw new IOException(
          "tls.cert, tls.key: cannot be used together: do they belong to each other?", e);
    }
  }

  private static SslContextBuilder identity(byte[] certificate, byte[] key, Path keyFile)
      throws IOException {
    try {
      return SslContextBuilder.forServer(
          new ByteArrayInputStream(certificate), new ByteArrayInputStream(key));
    } catch (IllegalArgumentException e) {
      // The certificate was read before, so it is the key; its content must not get into a message.
      throw new IOException("tls.key: no PEM private key (PKCS#8, not encrypted): " + keyFile, e);
    }
  }

  private static SslContext context(SslContextBuilder builder, byte @Nullable [] authorities)
      throws SSLException {
    // Sets HTTP/2's ciphers and ALPN "h2"; a client that does not choose it is turned away.
    GrpcSslContexts.configure(builder).protocols("TLSv1.3", "TLSv1.2");
    if (authorities != null) {
      builder.trustManager(new ByteArrayInputStream(authorities)).clientAuth(ClientAuth.REQUIRE);
    }
    return builder.build();
  }

  private static byte[] certificates(String key, Path file) throws IOException {
    byte[] pem = bytes(key, file);
    try {
      if (CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(pem))
          .isEmpty()) {
        throw new IOException(key + ": no certificate in " + file);
      }
      return pem;
    } catch (CertificateException e) {
      throw new IOException(key + ": no PEM certificate: " + file, e);
    }
  }

  private static byte[] bytes(String key, Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException(key + ": no such file: " + file, e);
    } catch (IOException e) {
      throw new IOException(key + ": cannot be read: " + file + " (" + e + ")", e);
    }
  }
}
