package inferencegateway.upstream;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** The header {@code Retry-After}: seconds or an HTTP date (RFC 9110, 10.2.3). */
final class RetryAfter {

  private static final Duration LONGEST = Duration.ofMinutes(5);

  private RetryAfter() {}

  /** Above zero, at most five minutes; null for none, the past, and what cannot be read. */
  static @Nullable Duration parse(String header, Clock clock) {
    Duration pause = header.isEmpty() ? Duration.ZERO : read(header.strip(), clock);
    if (pause.isNegative() || pause.isZero()) {
      return null;
    }
    return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
  }

  private static Duration read(String header, Clock clock) {
    try {
      if (Character.isDigit(header.charAt(0))) {
        return Duration.ofMillis((long) (Double.parseDouble(header) * 1_000));
      }
      ZonedDateTime until = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME);
      return Duration.between(clock.instant(), until.toInstant());
    } catch (DateTimeException | NumberFormatException | IndexOutOfBoundsException e) {
      return Duration.ZERO;
    }
  }
}
