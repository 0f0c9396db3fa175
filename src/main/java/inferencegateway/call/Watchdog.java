package inferencegateway.call;

import inferencegateway.route.Backend;
import inferencegateway.route.Routes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds backends that hold streams and give no token to any of them: an engine can hang while its
 * server goes on answering {@code /health}. Such a backend is taken out until a token flows, and
 * what waits there ends.
 *
 * <p>Looks from a thread of its own at the times that each call writes down anyway: nothing is
 * added to a token's way. Answers that are not streamed are no sign of a standstill, only of work
 * when they end.
 */
public final class Watchdog {

  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);

  private final Calls calls;
  private final Routes routes;
  private final long limitNanos;
  private final Runnable changed;

  /** Since when a backend has had streams waiting and no token. */
  private Map<Backend, Long> quiet = new HashMap<>();

  private long lastLook = System.nanoTime();

  /**
   * @param changed run when a backend was taken out or came back
   */
  public Watchdog(Calls calls, Routes routes, Duration limit, Runnable changed) {
    this.calls = calls;
    this.routes = routes;
    this.limitNanos = limit.toNanos();
    this.changed = changed;
  }

  /** How often to look. */
  public Duration period() {
    Duration quarter = Duration.ofNanos(Math.max(1_000_000, limitNanos / 4));
    return quarter.compareTo(LONGEST_PERIOD) < 0 ? quarter : LONGEST_PERIOD;
  }

  /** What one look found at one backend. */
  private static final class Found {
    boolean waits;
    long waitsSince;
    boolean moved;

    void waitsSince(long since) {
      waitsSince = waits && waitsSince - since < 0 ? waitsSince : since;
      waits = true;
    }
  }

  /** Always on the same thread. */
  public void look() {
    long now = System.nanoTime();
    Map<Backend, Found> found = new HashMap<>();
    for (ActiveCall call : calls.all()) {
      look(call, found);
    }
    Map<Backend, Long> stillQuiet = new HashMap<>();
    for (Backend backend : routes.backends()) {
      judge(backend, found.getOrDefault(backend, new Found()), stillQuiet, now);
    }
    quiet = stillQuiet;
    lastLook = now;
  }

  private void look(ActiveCall call, Map<Backend, Found> found) {
    Backend backend = call.backend();
    if (backend == null) {
      return;
    }
    Silence silence = call.silence();
    boolean token = silence.hasHeard() && silence.since() - lastLook >= 0;
    if (token || silence.isWatching()) {
      Found here = found.computeIfAbsent(backend, any -> new Found());
      here.moved |= token;
      if (silence.isWatching()) {
        here.waitsSince(silence.since());
      }
    }
  }

  private void judge(Backend backend, Found found, Map<Backend, Long> stillQuiet, long now) {
    Long timedOutSince = backend.takeSilence();
    if (timedOutSince != null) {
      found.waitsSince(timedOutSince);
    }
    if (found.moved || backend.completedSince(lastLook)) {
      recovered(backend);
    } else if (found.waits) {
      long since = quietSince(backend, found.waitsSince);
      stillQuiet.put(backend, since);
      if (now - since >= limitNanos) {
        wedged(backend);
      }
    }
  }

  private long quietSince(Backend backend, long waitsSince) {
    @Nullable Long before = quiet.get(backend);
    return before == null ? waitsSince : before;
  }

  private void recovered(Backend backend) {
    if (backend.wedged(false)) {
      LOG.info("Backend {} gives tokens again", backend.name());
      changed.run();
    }
  }

  private void wedged(Backend backend) {
    if (backend.wedged(true)) {
      LOG.warn(
          "Backend {} has given no token for {} s while streams wait there: it is taken out until"
              + " one flows",
          backend.name(),
          Duration.ofNanos(limitNanos).toSeconds());
      changed.run();
      calls.all().forEach(call -> call.stalledAt(backend));
    }
  }
}
