package inferencegateway.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many calls a backend is given.
 *
 * @param running key {@code admission.running}; at once, to begin with
 * @param waiting key {@code admission.waiting}; behind them; more are refused at once
 * @param adaptive key {@code admission.adaptive}; whether the limit follows the backend
 * @param min key {@code admission.min}; the least it may fall to
 * @param max key {@code admission.max}; the most it may grow to
 * @param longestWait key {@code admission.longest-wait}; expected wait above which calls are
 *     refused; null: a share of what calls take
 */
public record AdmissionConfig(
    int running, int waiting, boolean adaptive, int min, int max, @Nullable Duration longestWait) {

  public AdmissionConfig {
    Check check =
        new Check()
            .atLeast("admission.running", running, 1)
            .atLeast("admission.waiting", waiting, 0)
            .atLeast("admission.min", min, 1)
            .that(min <= max, "admission.min", "must not be above admission.max")
            .that(
                running < 1 || (running >= min && running <= max),
                "admission.running",
                "must be between admission.min and admission.max");
    if (longestWait != null) {
      check.positive("admission.longest-wait", longestWait);
    }
    check.done();
  }

  /** A limit that stays where it is. */
  public static AdmissionConfig fixed(int running, int waiting) {
    return new AdmissionConfig(running, waiting, false, 1, Math.max(1, running), null);
  }

  /** The same rules for a backend that has a limit of its own. */
  public AdmissionConfig startingAt(int calls) {
    return new AdmissionConfig(
        calls, waiting, adaptive, Math.min(min, calls), Math.max(max, calls), longestWait);
  }
}
