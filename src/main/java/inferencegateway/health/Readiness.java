package inferencegateway.health;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the gateway would answer now, told as {@code grpc.health.v1}.
 *
 * <p>Ready means: the backend is up, our own code is warm, the process has room, and nobody asked
 * us to stop. {@link #drain} is final: a good probe that comes late changes nothing. The name
 * {@code liveness} says SERVING from start to end, also while draining; a process that is asked to
 * stop and is killed for being "dead" would lose its running calls.
 *
 * <p>Thread: any. The lock orders changes, so that a Watch sees each once and in order.
 */
public final class Readiness {

  private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

  /** What the probes say of the backend. */
  public enum Upstream {
    UNKNOWN,
    UP,
    DOWN
  }

  /** Always SERVING while the process can answer. */
  public static final String LIVENESS = "liveness";

  /** All that follow {@link #isReady}; the empty one is the server as a whole. */
  public static final List<String> READINESS_NAMES =
      List.of("", "readiness", "inference.InferenceService", "llm.v1.LLMService");

  /** All that {@link #word} may say. */
  public static final List<String> WORDS =
      List.of("ready", "warming", "backends_unknown", "backends_down", "strained", "draining");

  private static final String MODEL = "model/";

  private record State(Upstream upstream, boolean warm, boolean strained, boolean draining) {
    boolean ready() {
      return upstream == Upstream.UP && warm && !strained && !draining;
    }
  }

  private final HealthStatusManager statuses = new HealthStatusManager();
  private final HealthWatches watches = new HealthWatches();
  private volatile State state = new State(Upstream.UNKNOWN, false, false, false);

  /** By name, whether a backend of it is up. */
  private Map<String, Boolean> models = Map.of();

  public Readiness() {
    // The library begins with "" SERVING.
    publish();
    statuses.setStatus(LIVENESS, ServingStatus.SERVING);
  }

  /** {@code grpc.health.v1.Health}; may be served on several ports at once. */
  public ServerServiceDefinition service() {
    return ServerInterceptors.intercept(statuses.getHealthService(), watches);
  }

  public synchronized void upstream(Upstream upstream) {
    change(new State(upstream, state.warm, state.strained, state.draining));
  }

  /** Our own code has run once: the first call will not pay for class loading. */
  public synchronized void warm() {
    change(new State(state.upstream, true, state.strained, state.draining));
  }

  /** The process is short of memory or files: calls should rather go elsewhere. */
  public void strained(boolean now) {
    if (state.strained != now) {
      changeStrain(now);
    }
  }

  private synchronized void changeStrain(boolean now) {
    change(new State(state.upstream, state.warm, now, state.draining));
  }

  /** Not ready, for good. */
  public synchronized void drain() {
    change(new State(state.upstream, state.warm, state.strained, true));
  }

  /**
   * Ends every Watch stream with OK. Drains first if nobody did: from then on no message can cross
   * the ending.
   */
  public synchronized void completeWatches() {
    drain();
    watches.complete();
  }

  /** How the gateway is, in one word of {@link #WORDS}. */
  public String word() {
    State now = state;
    if (now.draining) {
      return "draining";
    }
    if (now.strained) {
      return "strained";
    }
    if (now.upstream != Upstream.UP) {
      return now.upstream == Upstream.DOWN ? "backends_down" : "backends_unknown";
    }
    return now.warm ? "ready" : "warming";
  }

  public boolean isReady() {
    return state.ready();
  }

  /** What is in the way of being ready, for people; empty when nothing is. */
  public List<String> missing() {
    State now = state;
    List<String> missing = new ArrayList<>();
    if (now.draining) {
      missing.add("draining");
    }
    if (now.upstream != Upstream.UP) {
      missing.add(
          now.upstream == Upstream.DOWN ? "no backend is up" : "no backend has answered yet");
    }
    if (!now.warm) {
      missing.add("warming up");
    }
    if (now.strained) {
      missing.add("short of memory or files");
    }
    return missing;
  }

  public boolean isDraining() {
    return state.draining;
  }

  public Upstream upstream() {
    return state.upstream;
  }

  /** Watch streams open now. */
  public int openWatches() {
    return watches.open();
  }

  /**
   * Whether each model has a backend that is up, told under {@code model/NAME}. Names that are left
   * out are forgotten.
   */
  public synchronized void models(Map<String, Boolean> up) {
    if (state.draining || up.equals(models)) {
      return;
    }
    models.keySet().stream()
        .filter(name -> !up.containsKey(name))
        .forEach(name -> statuses.clearStatus(MODEL + name));
    models = Map.copyOf(up);
    publish();
  }

  private void change(State next) {
    if (state.draining) {
      return;
    }
    boolean before = state.ready();
    state = next;
    publish();
    if (before != next.ready() && !next.draining) {
      say(next.ready());
    }
  }

  /** A drain is told of by who drains. */
  private void say(boolean ready) {
    if (ready) {
      LOG.info("Ready: health says SERVING");
    } else {
      LOG.info("Not ready, health says NOT_SERVING: {}", String.join(", ", missing()));
    }
  }

  private static ServingStatus status(boolean serving) {
    return serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  /** The library tells watchers only of real changes. */
  private void publish() {
    ServingStatus status = status(state.ready());
    READINESS_NAMES.forEach(name -> statuses.setStatus(name, status));
    models.forEach((name, up) -> statuses.setStatus(MODEL + name, status(state.ready() && up)));
  }
}
