package inferencegateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;

/** A certificate and its key. */
public record Issued(X509Certificate certificate, PrivateKey key) {

  public String certificatePem() {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new AssertionError(e);
    }
  }

  public String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  /** Writes {@code NAME.crt} and {@code NAME.key}. */
  public void write(Path folder, String name) {
    try {
      Files.writeString(folder.resolve(name + ".crt"), certificatePem());
      Files.writeString(folder.resolve(name + ".key"), keyPem());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String pem(String what, byte[] bytes) {
    Base64.Encoder lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return "-----BEGIN "
        + what
        + "-----\n"
        + lines.encodeToString(bytes)
        + "\n-----END "
        + what
        + "-----\n";
  }
}
