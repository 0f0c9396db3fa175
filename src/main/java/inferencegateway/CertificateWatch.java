package inferencegateway;

import inferencegateway.config.CertificateFile;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Knows when certificates end, and tells of it while the gateway runs: once a day in the last week,
 * and at once when one has ended.
 *
 * <p>Thread: {@link #look} on one, {@link #ends} from any.
 */
final class CertificateWatch {

  static final Duration PERIOD = Duration.ofMinutes(1);

  private static final Duration BETWEEN = Duration.ofDays(1);

  private final List<CertificateFile> files;
  private final Supplier<Instant> clock;
  private final Consumer<String> tell;
  private final Map<CertificateFile, Told> told = new HashMap<>();
  private final Map<String, Long> ends = new ConcurrentHashMap<>();

  private record Told(Instant at, boolean over) {}

  /** The start has told already what there was to tell. */
  CertificateWatch(List<CertificateFile> files, Supplier<Instant> clock, Consumer<String> tell) {
    this.files = files;
    this.clock = clock;
    this.tell = tell;
    Instant now = clock.get();
    files.forEach(file -> told.put(file, new Told(now, isOver(file, now))));
    look();
  }

  void look() {
    Instant now = clock.get();
    for (CertificateFile file : files) {
      file.end().ifPresent(end -> ends.put(file.file().toString(), end.getEpochSecond()));
      boolean over = isOver(file, now);
      Told last = told.getOrDefault(file, new Told(Instant.MIN, false));
      boolean isDue = !now.isBefore(last.at().plus(BETWEEN)) || (over && !last.over());
      if (isDue) {
        told.put(file, new Told(now, over));
        file.warnings(now).forEach(tell);
      }
    }
  }

  private static boolean isOver(CertificateFile file, Instant now) {
    return file.end().filter(now::isAfter).isPresent();
  }

  /** When each file stops being good, in seconds of Unix time. */
  Map<String, Long> ends() {
    return ends;
  }
}
