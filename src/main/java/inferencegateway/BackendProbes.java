package inferencegateway;

import inferencegateway.cli.Version;
import inferencegateway.health.LoadWatch;
import inferencegateway.health.Prober;
import inferencegateway.health.Readiness.Upstream;
import inferencegateway.http.HttpClient;
import inferencegateway.route.Backend;
import inferencegateway.upstream.EngineLoad;
import inferencegateway.upstream.OpenAiBackend;
import inferencegateway.upstream.ProbeAnswer;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks after one backend, over connections of their own. */
final class BackendProbes implements Prober.Listener, Backend.Watch, AutoCloseable {

  private final Probing shared;
  private final Backend backend;
  private final HttpClient http;
  private final OpenAiBackend api;
  private final Prober prober;
  private final TokenProbe tokenProbe;
  private final LoadWatch load;

  BackendProbes(
      Probing shared, Backend backend, Credentials credentials, @Nullable InetAddress only) {
    this.shared = shared;
    this.backend = backend;
    this.http =
        new HttpClient(
            shared.loop(),
            backend.config().url(),
            credentials.tls(),
            shared.health().timeout(),
            shared.limits().idle(),
            only);
    this.api =
        new OpenAiBackend(
            http::send,
            backend.config(),
            shared.limits(),
            credentials.apiKey(),
            Version.of("version"));
    this.prober =
        new Prober(
            backend.name(),
            shared.health(),
            (timeout, done) -> api.probe(shared.loop().next(), timeout, done),
            this,
            shared.thread());
    this.tokenProbe =
        new TokenProbe(shared.loop(), api, shared.health().stall(), backend::progressed);
    this.load = loadWatch();
  }

  /** Only where calls run, or somebody wants to know: an idle backend is left alone. */
  private LoadWatch loadWatch() {
    return new LoadWatch(
        this::askForLoad,
        () -> backend.capacity().running() > 0 || shared.watched().getAsBoolean(),
        told -> shared.told().accept(backend, told));
  }

  /** Those of ours that ended while it was asked may be among what it counts. */
  private void askForLoad(Consumer<@Nullable EngineLoad> done) {
    int before = backend.capacity().running();
    api.load(
        shared.loop().next(),
        Probing.LOAD,
        load -> {
          if (load != null) {
            backend.says(load);
            int all = (int) Math.ceil(load.running() + load.waiting());
            backend.reports(all, Math.max(before, backend.capacity().running()));
          }
          done.accept(load);
        });
  }

  void start() {
    http.start();
    shared.loads().add(load);
    backend.watchedBy(this);
    prober.start();
  }

  @Override
  public void probed(Upstream state, boolean wasGood) {
    backend.probed(state, wasGood);
    if (wasGood && backend.isWedged()) {
      tokenProbe.ask(backend.anyModel());
    }
    shared.changed().run();
  }

  @Override
  public void lists(ProbeAnswer.Up listed) {
    backend.lists(listed);
  }

  @Override
  public void serverError() {
    prober.sawServerError();
  }

  @Override
  public void doubt() {
    prober.doubt();
  }

  @Override
  public void close() {
    shared.loads().remove(load);
    prober.stop();
    http.close();
  }
}
