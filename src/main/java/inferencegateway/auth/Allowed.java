package inferencegateway.auth;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A list of names, each exact or with a {@code *} at its end; {@code *} alone is every name, also
 * the empty one.
 */
public final class Allowed {

  private static final String REST = "*";

  public static final Allowed ALL = new Allowed(List.of(REST));

  private final Set<String> names;
  private final List<String> beginnings;

  public Allowed(List<String> patterns) {
    this.names = patterns.stream().filter(each -> !each.endsWith(REST)).collect(Collectors.toSet());
    this.beginnings =
        patterns.stream()
            .filter(each -> each.endsWith(REST))
            .map(each -> each.substring(0, each.length() - 1))
            .toList();
  }

  public boolean has(String name) {
    if (names.contains(name)) {
      return true;
    }
    for (String beginning : beginnings) {
      if (name.startsWith(beginning)) {
        return true;
      }
    }
    return false;
  }
}
