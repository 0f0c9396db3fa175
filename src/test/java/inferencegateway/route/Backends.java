package inferencegateway.route;

import inferencegateway.admission.Capacity;
import inferencegateway.config.ApiKey;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import inferencegateway.config.RoutingConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.upstream.OpenAiBackend;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Backends that nobody ever sends to. */
final class Backends implements Fleet.Opening {

  final Map<String, String> states = new TreeMap<>();
  final List<Backend> opened = new ArrayList<>();

  static BackendConfig config(String name, int weight, boolean eachAddress) {
    return new BackendConfig(
        name,
        BackendUrl.parse("http://" + name + ":8000/v1"),
        null,
        BackendTls.DEFAULT,
        false,
        weight,
        100,
        eachAddress);
  }

  static RoutingConfig routing(BackendConfig... all) {
    return new RoutingConfig(
        null, List.of(all), List.of(), null, new RoutingConfig.Initial(null, false, 1));
  }

  static Backend backend(BackendConfig config) {
    return backend(config.name(), config);
  }

  private static Backend backend(String name, BackendConfig config) {
    Duration some = Duration.ofSeconds(1);
    OpenAiBackend api =
        new OpenAiBackend(
            (loop, request, handler) -> {
              throw new AssertionError("nothing is to be sent");
            },
            config,
            new UpstreamConfig(some, some, 1, 1),
            ApiKey.NONE,
            "1");
    return new Backend(name, config, api, new Capacity(config.running()));
  }

  static List<Backend> several(int count) {
    List<Backend> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(backend(config("b" + i, 1, false)));
    }
    return all;
  }

  /** How often each was told to read its files again. */
  final Map<String, Integer> reloads = new ConcurrentHashMap<>();

  @Override
  public Fleet.Opened open(String name, BackendConfig config, @Nullable InetAddress only) {
    Backend made = backend(name, config);
    opened.add(made);
    states.put(name, "open");
    return new Fleet.Opened() {
      @Override
      public Backend backend() {
        return made;
      }

      @Override
      public void start() {
        states.put(name, "started");
      }

      @Override
      public void reload() {
        reloads.merge(name, 1, Integer::sum);
      }

      @Override
      public void retire() {
        states.put(name, "retired");
      }

      @Override
      public void close() {
        states.put(name, "closed");
      }
    };
  }
}
