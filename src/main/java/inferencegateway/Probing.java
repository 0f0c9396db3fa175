package inferencegateway;

import inferencegateway.config.HealthConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.health.LoadWatch;
import inferencegateway.health.ProbeThread;
import inferencegateway.health.Pulse;
import inferencegateway.http.Loops;
import inferencegateway.route.Backend;
import inferencegateway.upstream.EngineLoad;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the probes of all backends share: one loop, so that calls never wait for probes nor probes
 * for calls, and one thread.
 *
 * @param loads those that ask a busy backend how busy it is
 * @param changed run after every probe
 * @param told hears what a backend says of itself
 * @param watched whether somebody wants to know that of idle backends too
 */
record Probing(
    Loops loop,
    ProbeThread thread,
    Set<LoadWatch> loads,
    Pulse loadPulse,
    HealthConfig health,
    UpstreamConfig limits,
    Runnable changed,
    BiConsumer<Backend, EngineLoad> told,
    BooleanSupplier watched)
    implements AutoCloseable {

  /** How often a busy backend is asked how busy; also the longest wait for its answer. */
  static final Duration LOAD = Duration.ofSeconds(1);

  static Probing started(
      HealthConfig health,
      UpstreamConfig limits,
      Runnable changed,
      BiConsumer<Backend, EngineLoad> told,
      BooleanSupplier watched) {
    Loops loop = new Loops("probe", 1);
    loop.start();
    Set<LoadWatch> loads = ConcurrentHashMap.newKeySet();
    Pulse pulse = new Pulse("backend-load", LOAD, () -> loads.forEach(LoadWatch::look));
    pulse.start();
    return new Probing(
        loop, new ProbeThread(), loads, pulse, health, limits, changed, told, watched);
  }

  BackendProbes of(Backend backend, Credentials credentials, @Nullable InetAddress only) {
    return new BackendProbes(this, backend, credentials, only);
  }

  @Override
  public void close() {
    loadPulse.close();
    thread.close();
    loop.close();
  }
}
