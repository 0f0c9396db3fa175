package inferencegateway.config;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Says which certificates of a file are not good today, or soon will not be. */
public final class Validity {

  private static final Duration SOON = Duration.ofDays(7);

  private Validity() {}

  /**
   * @param setting that names the file
   * @return one line each, to be shown to the operator; nothing of a file that cannot be read
   */
  public static List<String> warnings(String setting, Path file) {
    return warnings(setting, file, Instant.now());
  }

  static List<String> warnings(String setting, Path file, Instant now) {
    List<String> warnings = new ArrayList<>();
    try {
      for (X509Certificate each : Certificates.read(setting, file)) {
        String fault = fault(each, now);
        if (!fault.isEmpty()) {
          warnings.add(setting + ": a certificate in " + file + " " + fault);
        }
      }
    } catch (StartFailure e) {
      // Told by whoever cannot go on without it.
    }
    return warnings;
  }

  private static String fault(X509Certificate certificate, Instant now) {
    Instant from = certificate.getNotBefore().toInstant();
    Instant to = certificate.getNotAfter().toInstant();
    if (now.isBefore(from)) {
      return "is not valid before " + from + ": until then its peers refuse it";
    }
    if (now.isAfter(to)) {
      return "has expired, on " + to + ": its peers refuse it";
    }
    return now.plus(SOON).isAfter(to)
        ? "expires in " + ChronoUnit.HOURS.between(now, to) + " hours, on " + to
        : "";
  }
}
