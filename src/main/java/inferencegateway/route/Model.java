package inferencegateway.route;

import java.util.ArrayList;
import java.util.List;

/**
 * What callers may ask for by one name.
 *
 * @param name the operator's
 * @param pools where it is served; never empty
 * @param fallback what answers in its place, in order
 * @param rescue whether an answer that breaks off may be continued elsewhere
 * @param guessed nobody is known to serve it: the backends decide
 */
record Model(String name, List<Pool> pools, List<Model> fallback, boolean rescue, boolean guessed) {

  Model {
    pools = List.copyOf(pools);
    fallback = List.copyOf(fallback);
  }

  /** One that the routing file does not name. */
  static Model unnamed(String name, List<Backend> backends, boolean guessed) {
    return new Model(name, List.of(new Pool(backends, name, 1)), List.of(), false, guessed);
  }

  /** Whether anybody who serves it is up. */
  boolean isUp() {
    return pools.stream().anyMatch(pool -> pool.backends().stream().anyMatch(Backend::isUp));
  }

  /**
   * The pools in the order in which one call prefers them. The first is drawn by weight, always the
   * same for the same key, and so on among the rest; a share of zero is only taken when no other
   * pool is left.
   */
  List<Pool> inOrderFor(long key) {
    if (pools.size() == 1) {
      return pools;
    }
    List<Pool> left = new ArrayList<>(pools);
    List<Pool> ordered = new ArrayList<>(pools.size());
    double point = Hashing.unit(Hashing.of(key, name));
    while (!left.isEmpty()) {
      ordered.add(left.remove(drawn(left, point)));
    }
    return ordered;
  }

  private static int drawn(List<Pool> left, double point) {
    long sum = left.stream().mapToLong(Pool::weight).sum();
    double passed = 0;
    for (int i = 0; i < left.size(); i++) {
      passed += left.get(i).weight();
      if (point * sum < passed) {
        return i;
      }
    }
    return 0;
  }
}
