package inferencegateway.simulator;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: {@code 250us}, {@code 50ms}, {@code 1.5s}, {@code 2m}, {@code 0}.
 */
public final class HumanDuration {

  private static final Pattern SHAPE =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|ms|s|m|h)?");

  private HumanDuration() {}

  /**
   * Never negative.
   *
   * @throws IllegalArgumentException with words for the person who wrote it
   */
  public static Duration parse(String text) {
    Matcher match = SHAPE.matcher(text.strip());
    if (!match.matches() || (match.group(2) == null && Double.parseDouble(match.group(1)) != 0)) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration: a number and ns, us, ms, s, m or h, as 250ms or 1.5s");
    }
    String unit = match.group(2) == null ? "s" : match.group(2);
    return Duration.ofNanos(Math.round(Double.parseDouble(match.group(1)) * nanosOf(unit)));
  }

  private static double nanosOf(String unit) {
    return switch (unit) {
      case "ns" -> 1;
      case "us" -> 1e3;
      case "ms" -> 1e6;
      case "m" -> 60e9;
      case "h" -> 3600e9;
      default -> 1e9;
    };
  }
}
