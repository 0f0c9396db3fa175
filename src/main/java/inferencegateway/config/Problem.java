package inferencegateway.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the configuration.
 *
 * @param key the setting, or what stands in its place
 * @param fault reads on after the key, and says what would be right
 * @param value as it was given; null where it does not matter or must not be shown
 * @param source where it was given; null where it was given nowhere
 */
public record Problem(String key, String fault, @Nullable String value, @Nullable Source source) {

  private static final int LONGEST_VALUE = 200;

  @Override
  public String toString() {
    String was = value == null ? "" : ", was \"" + onOneLine(value) + "\"";
    return key + ": " + fault + was + (source == null ? "" : " (" + source + ")");
  }

  private static String onOneLine(String text) {
    String cut = text.length() > LONGEST_VALUE ? text.substring(0, LONGEST_VALUE) + "..." : text;
    return cut.replaceAll("\\p{Cntrl}", "?");
  }
}
