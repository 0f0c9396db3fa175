package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Times of one kind, in nanoseconds. One thread. */
final class Latencies {

  private final String what;
  private final List<Long> nanos = new ArrayList<>();

  Latencies(String what) {
    this.what = what;
  }

  void add(long time) {
    nanos.add(time);
  }

  /**
   * The promise is 100 ms for nearly all; a busy machine that runs tests may owe us a few, never
   * the median.
   */
  void assertPrompt() {
    Collections.sort(nanos);
    LoggerFactory.getLogger(Latencies.class).info("{}", this);
    assertTrue(share(0.5) <= 100 && share(1) <= 1_000, this::toString);
  }

  private double share(double part) {
    int index = (int) Math.ceil(part * nanos.size()) - 1;
    return nanos.get(Math.max(0, index)) / 1e6;
  }

  @Override
  public String toString() {
    return String.format(
        "%s: n=%d p50=%.1f p99=%.1f max=%.1f ms",
        what, nanos.size(), share(0.5), share(0.99), share(1));
  }
}
