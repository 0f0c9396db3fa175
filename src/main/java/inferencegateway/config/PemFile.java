package inferencegateway.config;

import java.nio.file.Path;

/** Looks whether a file is the PEM that it should be. Whether it is any good, TLS finds out. */
final class PemFile {

  private static final int MOST_BYTES = 4 * 1024 * 1024;

  private PemFile() {}

  static Path certificates(Path path) {
    if (!FileText.read(path, MOST_BYTES).contains("-----BEGIN CERTIFICATE-----")) {
      throw new IllegalArgumentException(
          "must name a PEM file, with -----BEGIN CERTIFICATE----- in it");
    }
    return path;
  }

  static Path privateKey(Path path) {
    String pem = FileText.read(path, MOST_BYTES);
    if (pem.contains("-----BEGIN PRIVATE KEY-----")) {
      return path;
    }
    throw new IllegalArgumentException(
        pem.contains("PRIVATE KEY-----")
            ? "must name an unencrypted PKCS#8 key; convert this one: openssl pkcs8 -topk8 -nocrypt"
                + " -in OLD -out NEW"
            : "must name a PEM file, with -----BEGIN PRIVATE KEY----- in it");
  }
}
