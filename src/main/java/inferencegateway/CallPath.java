package inferencegateway;

import inferencegateway.admission.Capacity;
import inferencegateway.admission.Gate;
import inferencegateway.api.Services;
import inferencegateway.call.Calls;
import inferencegateway.cli.Version;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.http.HttpClient;
import inferencegateway.http.Loops;
import inferencegateway.route.Backend;
import inferencegateway.route.Routes;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.upstream.OpenAiBackend;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Everything between a listener and one backend. */
record CallPath(
    HttpClient http, Backend backend, Routes routes, Gate gate, Calls calls, Services services)
    implements AutoCloseable {

  /**
   * Makes it; contacts nothing.
   *
   * @param loops started; the listener's calls arrive on them
   * @param shortOfMemory whether calls are to be refused
   * @param whenOver told of every call at its end, on its loop
   */
  static CallPath of(
      GatewayConfig config,
      Loops loops,
      BooleanSupplier shortOfMemory,
      Consumer<CallRecord> whenOver) {
    UpstreamConfig upstream = config.upstream();
    HttpClient http =
        new HttpClient(loops, upstream.backend(), upstream.connectTimeout(), upstream.idle());
    http.start();
    OpenAiBackend api = new OpenAiBackend(http::send, upstream, Version.of("version"));
    Backend backend = new Backend("default", api, Capacity.of(config.admission()));
    Routes routes = new Routes(List.of(backend), upstream.defaultModel());
    Gate gate = new Gate(config.admission(), shortOfMemory);
    Calls calls = new Calls(routes, gate, config.call(), upstream.maxResponseBytes(), whenOver);
    return new CallPath(http, backend, routes, gate, calls, new Services(calls, loops::current));
  }

  @Override
  public void close() {
    http.close();
  }
}
