package inferencegateway.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

/** Reads PEM files of certificates. */
public final class Certificates {

  private Certificates() {}

  /**
   * All of a file, one at least.
   *
   * @throws StartFailure names the setting and the file, in one line
   */
  public static List<X509Certificate> read(String setting, Path file) throws StartFailure {
    byte[] pem = bytes(setting, file);
    try {
      X509Certificate[] found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))
              .toArray(new X509Certificate[0]);
      if (found.length == 0) {
        throw new StartFailure(setting, "no certificate in " + file, null);
      }
      return Arrays.asList(found);
    } catch (CertificateException e) {
      throw new StartFailure(setting, "no PEM certificate: " + file, e);
    }
  }

  static byte[] bytes(String setting, Path file) throws StartFailure {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new StartFailure(setting, "no such file: " + file, e);
    } catch (IOException e) {
      throw new StartFailure(setting, "cannot be read: " + file + " (" + e + ")", e);
    }
  }
}
