package inferencegateway.config;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A private key and the certificates that belong to it. The key gets into no message. */
public final class CertifiedKey {

  private static final Pattern PEM =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private final PrivateKey key;
  private final List<X509Certificate> chain;

  private CertifiedKey(PrivateKey key, List<X509Certificate> chain) {
    this.key = key;
    this.chain = chain;
  }

  /**
   * Reads both.
   *
   * @param settings what comes before {@code .cert} and {@code .key} in the settings' names
   * @throws StartFailure names the setting, also when the key is that of another certificate: found
   *     out here, since TLS libraries would only fail every handshake
   */
  public static CertifiedKey read(String settings, Path certificate, Path key) throws StartFailure {
    List<X509Certificate> chain = Certificates.read(settings + ".cert", certificate);
    byte[] pem = Certificates.bytes(settings + ".key", key);
    PublicKey certified = chain.get(0).getPublicKey();
    return new CertifiedKey(privateKey(settings, pem, certified, key), chain);
  }

  public PrivateKey key() {
    return key;
  }

  /** The key's own first. */
  public X509Certificate[] chain() {
    return chain.toArray(new X509Certificate[0]);
  }

  private static PrivateKey privateKey(String settings, byte[] pem, PublicKey certified, Path file)
      throws StartFailure {
    Matcher found = PEM.matcher(new String(pem, StandardCharsets.ISO_8859_1));
    if (!found.find()) {
      throw new StartFailure(
          settings + ".key", "no PEM private key (PKCS#8, not encrypted): " + file, null);
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
      throw notTheCertificates(settings, file, e);
    }
    throw notTheCertificates(settings, file, null);
  }

  private static StartFailure notTheCertificates(
      String settings, Path file, @Nullable Exception cause) {
    return new StartFailure(
        settings + ".key",
        "not the key of the certificate in " + settings + ".cert: " + file,
        cause);
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
