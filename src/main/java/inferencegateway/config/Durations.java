package inferencegateway.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}. */
public final class Durations {

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");

  /** Far from where nanoseconds overflow, and longer than anything here can sensibly last. */
  private static final Duration LONGEST = Duration.ofDays(366);

  private Durations() {}

  /**
   * @throws IllegalArgumentException with words that go on after the key
   */
  public static Duration parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "must be a number and a unit, such as 500ms, 30s, 5m or 1h");
    }
    Duration duration = of(Long.parseLong(matcher.group(1)), matcher.group(2));
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("must be at most a year");
    }
    return duration;
  }

  private static Duration of(long amount, String unit) {
    return switch (unit) {
      case "h" -> Duration.ofHours(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "s" -> Duration.ofSeconds(amount);
      default -> Duration.ofMillis(amount);
    };
  }

  /** The shortest text that {@link #parse} reads as the same duration; milliseconds at finest. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0 || millis % 1000 != 0) {
      return millis == 0 ? "0s" : millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}
