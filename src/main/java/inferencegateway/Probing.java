package inferencegateway;

import inferencegateway.config.HealthConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.health.ProbeThread;
import inferencegateway.http.Loops;
import inferencegateway.route.Backend;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the probes of all backends share: one loop, so that calls never wait for probes nor probes
 * for calls, and one thread.
 *
 * @param changed run after every probe
 */
record Probing(
    Loops loop, ProbeThread thread, HealthConfig health, UpstreamConfig limits, Runnable changed)
    implements AutoCloseable {

  static Probing started(HealthConfig health, UpstreamConfig limits, Runnable changed) {
    Loops loop = new Loops("probe", 1);
    loop.start();
    return new Probing(loop, new ProbeThread(), health, limits, changed);
  }

  BackendProbes of(Backend backend, Credentials credentials, @Nullable InetAddress only) {
    return new BackendProbes(this, backend, credentials, only);
  }

  @Override
  public void close() {
    thread.close();
    loop.close();
  }
}
