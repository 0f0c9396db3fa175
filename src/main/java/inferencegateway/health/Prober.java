package inferencegateway.health;

import inferencegateway.config.HealthConfig;
import inferencegateway.health.Readiness.Upstream;
import inferencegateway.upstream.ProbeAnswer;
import inferencegateway.upstream.ProbeAnswer.Down;
import inferencegateway.upstream.ProbeAnswer.Kind;
import inferencegateway.upstream.ProbeAnswer.Up;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one backend again and again, one probe at a time, and tells whoever wants to know.
 *
 * <p>Thread: all state lives on the schedule's thread; {@link #sawServerError}, {@link #doubt},
 * {@link #models} and probe results may come from anywhere.
 */
public final class Prober {

  private static final Logger log = LoggerFactory.getLogger(Prober.class);

  /** No state lasts shorter than this, so that nobody sees it flap. */
  private static final Duration LEAST_STAY = Duration.ofSeconds(1);

  /** vLLM's watchdog ends the server up to 5 s after its engine died. */
  private static final Duration SUSPICION = Duration.ofSeconds(10);

  /** How much longer than asked a probe may take before it is given up. */
  private static final Duration OVERDUE = Duration.ofSeconds(1);

  private final HealthConfig config;
  private final BackendProbe probe;
  private final String name;
  private final Listener listener;
  private final Schedule schedule;
  private final Hysteresis hysteresis;

  /** Keeps a burst of 5xx answers from queueing a step each. */
  private final AtomicBoolean serverErrorPending = new AtomicBoolean();

  private final AtomicBoolean doubtPending = new AtomicBoolean();

  private volatile Up listed = new Up(List.of(), List.of());

  private final Set<Kind> reported = EnumSet.noneOf(Kind.class);

  /** Which planned step is the valid one; an older one does nothing. */
  private long plan;

  /** Which probe is being waited for; 0: none. A late or second answer finds another number. */
  private long awaited;

  private long probes;
  private long suspectUntil;
  private long doubtUntil;
  private long changedAt;

  /** Told on the prober's thread. */
  public interface Listener {

    /** After every probe, whether anything changed or not. */
    void probed(Upstream state, boolean wasGood);

    /** What the backend lists, whenever that changes. */
    void lists(ProbeAnswer.Up listed);
  }

  /**
   * @param name the backend's, for people
   */
  public Prober(
      String name, HealthConfig config, BackendProbe probe, Listener listener, ProbeThread thread) {
    this(name, config, probe, listener, thread.share());
  }

  Prober(
      String name, HealthConfig config, BackendProbe probe, Listener listener, Schedule schedule) {
    this.name = name;
    this.config = config;
    this.probe = probe;
    this.listener = listener;
    this.schedule = schedule;
    this.hysteresis = new Hysteresis(config.failures());
    this.suspectUntil = schedule.nanoTime();
    this.doubtUntil = suspectUntil;
    this.changedAt = suspectUntil - LEAST_STAY.toNanos();
  }

  /** Probes at once, then for ever. */
  public void start() {
    schedule.after(Duration.ZERO, this::planNow);
  }

  /** No probe after this; one under way is no longer listened to. */
  public void stop() {
    schedule.stop();
  }

  /** As the last good probe listed them; empty before the first one. */
  public List<String> models() {
    return listed.models();
  }

  /** A call was answered 5xx: look more closely for a while. */
  public void sawServerError() {
    if (serverErrorPending.compareAndSet(false, true)) {
      schedule.after(Duration.ZERO, this::suspect);
    }
  }

  /** Calls fail to reach it, or it was put aside: look soon. */
  public void doubt() {
    if (doubtPending.compareAndSet(false, true)) {
      schedule.after(Duration.ZERO, this::lookSoon);
    }
  }

  private void lookSoon() {
    doubtPending.set(false);
    boolean fresh = isCalm();
    doubtUntil = schedule.nanoTime() + SUSPICION.toNanos();
    if (fresh && awaited == 0) {
      planNext();
    }
  }

  /** The next probe may be far. */
  private boolean isCalm() {
    return hysteresis.state() == Upstream.UP
        && !hysteresis.inDoubt()
        && !suspicious()
        && doubtUntil - schedule.nanoTime() <= 0;
  }

  private void suspect() {
    serverErrorPending.set(false);
    boolean fresh = isCalm();
    suspectUntil = schedule.nanoTime() + SUSPICION.toNanos();
    // While already suspicious the next probe is near; planning it anew would push it away.
    if (fresh && awaited == 0) {
      planNext();
    }
  }

  private boolean suspicious() {
    return suspectUntil - schedule.nanoTime() > 0;
  }

  private void planNext() {
    Duration delay = isCalm() ? config.interval() : config.downInterval();
    long stay = changedAt + LEAST_STAY.toNanos() - schedule.nanoTime();
    plan(delay.toNanos() < stay ? Duration.ofNanos(stay) : delay);
  }

  private void planNow() {
    plan(Duration.ZERO);
  }

  private void plan(Duration delay) {
    long number = ++plan;
    schedule.after(
        delay,
        () -> {
          if (number == plan) {
            ask();
          }
        });
  }

  private void ask() {
    long number = ++probes;
    awaited = number;
    schedule.after(
        config.timeout().plus(OVERDUE),
        () -> answered(number, new Down(Kind.TIMEOUT, "the probe never ended")));
    try {
      probe.probe(
          config.timeout(),
          result -> schedule.after(Duration.ZERO, () -> answered(number, result)));
    } catch (RuntimeException e) {
      log.warn("The probe itself failed; it counts as a failed probe", e);
      answered(number, new Down(Kind.OTHER, e.toString()));
    }
  }

  private void answered(long number, ProbeAnswer result) {
    if (number != awaited) {
      return;
    }
    awaited = 0;
    Upstream before = hysteresis.state();
    if (result instanceof Up up) {
      hysteresis.good();
      learn(up);
    } else if (result instanceof Down down) {
      hysteresis.bad(down.kind(), suspicious());
    }
    if (hysteresis.state() != before) {
      changedAt = schedule.nanoTime();
    }
    report(before, result);
    tell(result instanceof Up);
    planNext();
  }

  private void learn(Up answer) {
    if (!answer.equals(listed)) {
      listed = answer;
      try {
        listener.lists(answer);
      } catch (RuntimeException e) {
        log.warn("The list of models was not taken", e);
      }
    }
  }

  private void tell(boolean wasGood) {
    try {
      listener.probed(hysteresis.state(), wasGood);
    } catch (RuntimeException e) {
      log.warn("The state of a backend was not taken", e);
    }
  }

  /** Changes only. While down, each new kind of failure once: loading may end in a refused key. */
  private void report(Upstream before, ProbeAnswer result) {
    if (hysteresis.state() == Upstream.UP && before != Upstream.UP) {
      reported.clear();
      log.info("Backend {} is up, models {}", name, listed.models());
    } else if (hysteresis.state() == Upstream.DOWN
        && result instanceof Down down
        && reported.add(down.kind())) {
      log.warn("Backend {} is down: {}. {}", name, down.detail(), whatToCheck(down.kind()));
    }
  }

  private static String whatToCheck(Kind kind) {
    return switch (kind) {
      case REFUSED -> "Nobody listens there: is it running, and is `backend` right?";
      case TIMEOUT -> "No answer within `health.timeout`: is it reachable, hung or overloaded?";
      case AUTH -> "It does not accept our key: check `api-key-file`.";
      case STATUS -> "It answers, but not as ready: still loading, or broken; see its log.";
      case OTHER -> "Check `backend` and the network in between.";
    };
  }
}
