package inferencegateway.config;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

  /** When the first of a chain, or the last of several authorities, stops being good. */
  static Optional<Instant> end(String setting, Path file, boolean authorities) {
    try {
      Stream<Instant> ends =
          Certificates.read(setting, file).stream().map(each -> each.getNotAfter().toInstant());
      return authorities
          ? ends.max(Comparator.naturalOrder())
          : ends.min(Comparator.naturalOrder());
    } catch (StartFailure e) {
      return Optional.empty();
    }
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
    return now.plus(SOON).isAfter(to) ? "expires in " + left(now, to) + ", on " + to : "";
  }

  private static String left(Instant now, Instant to) {
    Duration left = Duration.between(now, to);
    return left.toHours() > 1 ? left.toHours() + " hours" : left.toMinutes() + " minutes";
  }
}
