package inferencegateway.route;

import inferencegateway.admission.Capacity;
import inferencegateway.chat.Reason;
import inferencegateway.config.BackendConfig;
import inferencegateway.health.Readiness.Upstream;
import inferencegateway.upstream.EngineLoad;
import inferencegateway.upstream.OpenAiBackend;
import inferencegateway.upstream.ProbeAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One server behind the gateway, and what is known of it now. Thread-safe. */
public final class Backend {

  /** It is asked every second while calls of ours run there. */
  private static final long OTHERS_FOR = TimeUnit.SECONDS.toNanos(3);

  private static final Logger LOG = LoggerFactory.getLogger(Backend.class);
  private static final Duration MOMENTS = Duration.ofSeconds(10);

  /** How it is, in one word; the same in metrics and for people. */
  public enum State {
    UP("up"),
    /** Not probed yet. */
    UNKNOWN("unknown"),
    /** Its probes fail. */
    DOWN("down"),
    /** Its calls fail one after the other; it is tried again by and by. */
    PUT_ASIDE("put_aside"),
    /** It holds streams and gives no token to any of them. */
    STALLED("stalled"),
    /** No part of the routes any more. */
    RETIRED("retired");

    private final String word;

    State(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /** What it listed last. */
  private record Listed(List<String> models, Set<String> names) {}

  private final String name;
  private final BackendConfig config;
  private final OpenAiBackend api;
  private final Capacity capacity;
  private final Condition condition = new Condition();
  private final Lately lately = new Lately(System::nanoTime);

  /** Null before its first good probe; written by it, read by every loop. */
  private volatile @Nullable Listed listed;

  /** No part of the routes any more; only calls that began before still know it. */
  private volatile boolean retired;

  /** What it says of itself beside our own count; 0 where it says nothing. */
  private volatile Others others = new Others(0, 0);

  /** Its own last words; null: none yet. */
  private volatile @Nullable Said said;

  /** Left by a call's loop, taken by the watchdog; one that is lost between is no matter. */
  private volatile @Nullable Long silence;

  private volatile Watch watch = Watch.NOBODY;

  /**
   * @param name the operator's, for people and labels; with the address where that tells several
   *     apart
   */
  public Backend(String name, BackendConfig config, OpenAiBackend api, Capacity capacity) {
    this.name = name;
    this.config = config;
    this.api = api;
    this.capacity = capacity;
  }

  public String name() {
    return name;
  }

  public BackendConfig config() {
    return config;
  }

  public OpenAiBackend api() {
    return api;
  }

  public Capacity capacity() {
    return capacity;
  }

  Condition condition() {
    return condition;
  }

  /**
   * Who looks closer when calls fail. Set once, before the first call.
   *
   * @param watch its prober
   */
  public void watchedBy(Watch watch) {
    this.watch = watch;
  }

  /** Looks closer at a backend whose calls fail. From any thread. */
  public interface Watch {

    Watch NOBODY =
        new Watch() {
          @Override
          public void serverError() {}

          @Override
          public void doubt() {}
        };

    /** A call was answered 5xx: an engine that died takes its server down soon. */
    void serverError();

    /** It was not reached, or was put aside. */
    void doubt();
  }

  // --- what it serves ---

  /** Takes over the list of the last good probe. */
  public void lists(ProbeAnswer.Up answer) {
    listed = new Listed(answer.models(), Set.copyOf(answer.names()));
  }

  /** The distinct models, each by its first name. */
  public List<String> models() {
    Listed now = listed;
    return now == null ? List.of() : now.models();
  }

  /** A name that it knows; empty when it has named none. */
  public String anyModel() {
    List<String> known = models();
    return known.isEmpty() ? "" : known.get(0);
  }

  boolean serves(String model) {
    Listed now = listed;
    return now != null && now.names().contains(model);
  }

  /** Whether it has ever said what it serves. Some say nothing at all. */
  boolean hasListed() {
    Listed now = listed;
    return now != null && !now.names().isEmpty();
  }

  // --- how it is ---

  /** Whether calls should go there rather than elsewhere. */
  public boolean isUp() {
    return !retired && condition.isUp();
  }

  /** The worst of what is known of it. */
  public State state() {
    if (retired) {
      return State.RETIRED;
    }
    if (condition.isWedged()) {
      return State.STALLED;
    }
    if (condition.probed() == Upstream.DOWN) {
      return State.DOWN;
    }
    if (condition.isEjected()) {
      return State.PUT_ASIDE;
    }
    return condition.probed() == Upstream.UNKNOWN ? State.UNKNOWN : State.UP;
  }

  /**
   * What its probe found.
   *
   * @param wasGood whether this probe was good; the state may lag behind
   */
  public void probed(Upstream state, boolean wasGood) {
    if (condition.probed(state, wasGood, System.nanoTime())) {
      LOG.info("Backend {} takes calls again", name);
    }
  }

  /** A token came, or a whole answer: its engine works. */
  public void progressed() {
    condition.succeeded(System.nanoTime());
  }

  /**
   * A call ended by the backend's fault, or for want of room there.
   *
   * @param mayEject whether enough others are left to put this one aside
   */
  void failed(Reason reason, boolean mayEject) {
    if (!isFault(reason)) {
      return;
    }
    if (condition.failed(reason, mayEject, System.nanoTime())) {
      LOG.warn(
          "Backend {} is put aside where others can take its calls: {} in a row failed, the last by"
              + " {}",
          name,
          Condition.FAILURES,
          reason);
    }
    tellWatch(reason);
  }

  /** An attempt there is over; for people only. */
  public void attempted(Lately.End end, @Nullable Reason reason) {
    lately.ended(end, reason);
  }

  /** How attempts there ended within the last minutes. */
  public Lately.Seen lately() {
    return lately.seen();
  }

  private void tellWatch(Reason reason) {
    switch (reason) {
      case UPSTREAM_ERROR, UPSTREAM_ABORTED, UPSTREAM_STARTING, UPSTREAM_GATEWAY ->
          watch.serverError();
      default -> watch.doubt();
    }
  }

  /**
   * Streams wait there and no token comes, or one has come at last.
   *
   * @return whether that is news
   */
  public boolean wedged(boolean isWedged) {
    boolean news = condition.wedged(isWedged);
    if (news && isWedged) {
      watch.doubt();
    }
    return news;
  }

  /**
   * A stream ended because no token came.
   *
   * @param since when it began to wait, by the monotonic clock
   */
  public void silentSince(long since) {
    silence = since;
  }

  /** The last {@link #silentSince} that was not taken yet; null for none. */
  public @Nullable Long takeSilence() {
    Long last = silence;
    silence = null;
    return last;
  }

  /** Whether an answer was completed since then, by the monotonic clock. */
  public boolean completedSince(long then) {
    return condition.completedSince(then);
  }

  /** Whether it was seen a moment ago to take no connections, or to fail a probe. */
  public boolean isGoingDown() {
    return condition.isDoubted(System.nanoTime(), MOMENTS);
  }

  /** Running with no token for too long. */
  public boolean isWedged() {
    return condition.isWedged();
  }

  boolean isRetired() {
    return retired;
  }

  void retire() {
    retired = true;
  }

  /** Calls that it has to work on: ours, and those of others that it has told of lately. */
  int load() {
    Others known = others;
    boolean fresh = known.calls() > 0 && System.nanoTime() - known.at() < OTHERS_FOR;
    return capacity.running() + (fresh ? known.calls() : 0);
  }

  /**
   * Takes over what it says of itself.
   *
   * @param all calls that run and wait there, whoever sent them
   * @param ours as many of ours as may be among them
   */
  public void reports(int all, int ours) {
    others = new Others(Math.max(0, all - ours), System.nanoTime());
  }

  /** Takes over its own words, for people and balancers. */
  public void says(EngineLoad load) {
    said = new Said(load, System.nanoTime());
  }

  /** What it said of itself within the last seconds; null for nothing. */
  public @Nullable EngineLoad said() {
    Said last = said;
    return last != null && System.nanoTime() - last.at() < OTHERS_FOR ? last.load() : null;
  }

  private record Said(EngineLoad load, long at) {}

  /**
   * Calls of others.
   *
   * @param at when it said so
   */
  private record Others(int calls, long at) {}

  /** Whether such a failure speaks against the backend. A busy one is not a dead one. */
  static boolean isFault(Reason reason) {
    return switch (reason) {
      case UPSTREAM_CONNECT,
          UPSTREAM_RESET,
          UPSTREAM_STARTING,
          UPSTREAM_GATEWAY,
          UPSTREAM_ERROR,
          UPSTREAM_ABORTED,
          UPSTREAM_TRUNCATED,
          UPSTREAM_EMPTY,
          UPSTREAM_AUTH,
          UPSTREAM_REDIRECT,
          UPSTREAM_PROTOCOL,
          UPSTREAM_NOT_FOUND ->
          true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
