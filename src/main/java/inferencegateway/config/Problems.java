package inferencegateway.config;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What was found wrong so far; each thing once. */
final class Problems {

  private final Set<Problem> found;

  Problems(Collection<Problem> found) {
    this.found = new LinkedHashSet<>(found);
  }

  void add(Problem problem) {
    found.add(problem);
  }

  void throwIfAny() {
    if (!found.isEmpty()) {
      throw new ConfigException(List.copyOf(found));
    }
  }
}
