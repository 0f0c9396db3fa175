package inferencegateway.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names that become labels: so many different ones at most, the first that come. All others, and
 * what is too long to be anybody's name, are {@value #OTHER}. Thread-safe.
 */
final class Bounded {

  static final String OTHER = "other";
  private static final int LONGEST = 128;

  private final int most;
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  Bounded(int most) {
    this.most = most;
  }

  String of(String name) {
    if (names.contains(name)) {
      return name;
    }
    return name.length() <= LONGEST && add(name) ? name : OTHER;
  }

  /** One at a time, so that the last place is given once; seldom. */
  private synchronized boolean add(String name) {
    return names.contains(name) || (names.size() < most && names.add(name));
  }
}
