package inferencegateway.server;

import inferencegateway.config.StartFailure;
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
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/** The listener's TLS: 1.2 and 1.3, HTTP/2 by ALPN or nothing, callers' certificates on request. */
final class ServerTls {

  private ServerTls() {}

  /**
   * Reads the files, once.
   *
   * @throws IOException names the key whose file is wrong, in one line
   */
  static SslContext read(TlsConfig config) throws IOException {
    X509Certificate[] chain = certificates("tls.cert", config.certificate());
    byte[] pem = bytes("tls.key", config.key());
    PrivateKey key = ServerKey.read(pem, chain[0].getPublicKey(), config.key());
    SslContextBuilder builder = SslContextBuilder.forServer(key, chain);
    // Sets HTTP/2's ciphers and ALPN "h2"; a client that does not choose it is turned away.
    GrpcSslContexts.configure(builder).protocols("TLSv1.3", "TLSv1.2");
    Path clientCa = config.clientCa();
    if (clientCa != null) {
      builder.trustManager(certificates("tls.client-ca", clientCa)).clientAuth(ClientAuth.REQUIRE);
    }
    return build(builder);
  }

  private static SslContext build(SslContextBuilder builder) throws IOException {
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new StartFailure("tls.cert, tls.key", "not usable for TLS: " + e.getMessage(), e);
    }
  }

  private static X509Certificate[] certificates(String key, Path file) throws IOException {
    byte[] pem = bytes(key, file);
    try {
      X509Certificate[] found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))
              .toArray(new X509Certificate[0]);
      if (found.length == 0) {
        throw new StartFailure(key, "no certificate in " + file, null);
      }
      return found;
    } catch (CertificateException e) {
      throw new StartFailure(key, "no PEM certificate: " + file, e);
    }
  }

  private static byte[] bytes(String key, Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new StartFailure(key, "no such file: " + file, e);
    } catch (IOException e) {
      throw new StartFailure(key, "cannot be read: " + file + " (" + e + ")", e);
    }
  }
}
