package inferencegateway.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was probably meant. */
public final class Nearest {

  private Nearest() {}

  /** Empty when nothing known is even half alike. */
  public static Optional<String> to(String name, Collection<String> known) {
    String asked = plain(name);
    return known.stream()
        .min(Comparator.comparingInt(candidate -> distance(asked, plain(candidate))))
        .filter(
            best -> distance(asked, plain(best)) <= Math.max(asked.length(), best.length()) / 2);
  }

  /** "; did you mean X?", or nothing. */
  public static String hint(String name, Collection<String> known) {
    return to(name, known).map(best -> "; did you mean " + best + "?").orElse("");
  }

  /** Case and separators are what people get wrong first, so they do not count. */
  private static String plain(String name) {
    String cut = name.length() > 80 ? name.substring(0, 80) : name;
    return cut.toLowerCase(Locale.ROOT).replaceAll("[._-]+", "-");
  }

  /** Insertions, deletions and substitutions that turn one into the other. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int substituted = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
