package inferencegateway.server;

import inferencegateway.config.StartFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The private key that belongs to a certificate. Its content gets into no message. */
final class ServerKey {

  private static final Pattern PEM =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private ServerKey() {}

  /**
   * @throws IOException when it is no such key, or the key of another certificate: found out here,
   *     since the TLS library would only fail every handshake
   */
  static PrivateKey read(byte[] pem, PublicKey certified, Path file) throws IOException {
    Matcher found = PEM.matcher(new String(pem, StandardCharsets.ISO_8859_1));
    if (!found.find()) {
      throw new StartFailure(
          "tls.key", "no PEM private key (PKCS#8, not encrypted): " + file, null);
    }
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(found.group(1));
      PrivateKey key =
          KeyFactory.getInstance(certified.getAlgorithm())
              .generatePrivate(new PKCS8EncodedKeySpec(encoded));
      if (belongTogether(key, certified)) {
        return key;
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw notTheCertificates(file, e);
    }
    throw notTheCertificates(file, null);
  }

  private static IOException notTheCertificates(Path file, @Nullable Exception cause) {
    return new StartFailure(
        "tls.key", "not the key of the certificate in tls.cert: " + file, cause);
  }

  private static boolean belongTogether(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    Signature signature = Signature.getInstance(signatureOf(certified.getAlgorithm()));
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    return signature.verify(signed);
  }

  private static String signatureOf(String keyAlgorithm) {
    return switch (keyAlgorithm) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> keyAlgorithm;
    };
  }
}
