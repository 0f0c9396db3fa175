package inferencegateway;

import inferencegateway.admission.Capacity;
import inferencegateway.cli.Version;
import inferencegateway.config.AdmissionConfig;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.http.ConnectionCounts;
import inferencegateway.http.HttpClient;
import inferencegateway.http.Loops;
import inferencegateway.route.Backend;
import inferencegateway.route.Fleet;
import inferencegateway.upstream.OpenAiBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Makes each backend: its connections on every loop, its dialect, its places, its probes. */
final class BackendOpening implements Fleet.Opening {

  private final Loops loops;
  private final UpstreamConfig limits;
  private final AdmissionConfig admission;
  private final @Nullable Probing probing;

  /** Of the backends that are open. */
  private final Map<Backend, HttpClient> clients = new ConcurrentHashMap<>();

  /**
   * @param probing null: nobody looks after the backends
   */
  BackendOpening(Loops loops, GatewayConfig config, @Nullable Probing probing) {
    this.loops = loops;
    this.limits = config.upstream();
    this.admission = config.admission();
    this.probing = probing;
  }

  @Override
  public Fleet.Opened open(String name, BackendConfig config, @Nullable InetAddress only)
      throws IOException {
    Credentials credentials = Credentials.open(config);
    HttpClient http =
        new HttpClient(
            loops, config.url(), credentials.tls(), limits.connectTimeout(), limits.idle(), only);
    http.start();
    OpenAiBackend api =
        new OpenAiBackend(http::send, config, limits, credentials.apiKey(), Version.of("version"));
    Backend backend =
        new Backend(name, config, api, Capacity.of(admission.startingAt(config.running())));
    BackendProbes probes = probing == null ? null : probing.of(backend, credentials, only);
    clients.put(backend, http);
    return new Opened(backend, credentials, http, probes, clients);
  }

  /** Null where it is not open. */
  @Nullable ConnectionCounts connections(Backend backend) {
    HttpClient http = clients.get(backend);
    return http == null ? null : http.counts();
  }

  private record Opened(
      Backend backend,
      Credentials credentials,
      HttpClient http,
      @Nullable BackendProbes probes,
      Map<Backend, HttpClient> clients)
      implements Fleet.Opened {

    @Override
    public void start() {
      if (probes != null) {
        probes.start();
      }
    }

    @Override
    public void reload() throws IOException {
      credentials.reload();
    }

    @Override
    public void retire() {
      if (probes != null) {
        probes.close();
      }
    }

    @Override
    public void close() {
      clients.remove(backend);
      http.close();
    }
  }
}
