package inferencegateway.route;

import inferencegateway.config.ModelConfig;
import inferencegateway.config.RoutingConfig;
import inferencegateway.health.Readiness.Upstream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The routes as they are between two reloads. Never changes; what is known of the backends in it
 * does. Counts the calls that use it, so that nothing is taken from under them.
 */
final class Table {

  private final List<Backend> backends;
  private final Map<String, Model> models;
  private final @Nullable String defaultModel;

  /** What the backends call the models that the routing file names. */
  private final Set<String> upstreamNames;

  private final boolean backendDecides;
  private final AtomicInteger calls = new AtomicInteger();

  private Table(
      List<Backend> backends,
      Map<String, Model> models,
      @Nullable String defaultModel,
      boolean backendDecides) {
    this.backends = List.copyOf(backends);
    this.models = Map.copyOf(models);
    this.defaultModel = defaultModel;
    this.upstreamNames =
        models.values().stream()
            .flatMap(model -> model.pools().stream())
            .map(Pool::model)
            .collect(Collectors.toUnmodifiableSet());
    this.backendDecides = backendDecides;
  }

  /**
   * @param byName the backends of each name; several where each address is one
   */
  static Table of(RoutingConfig config, Map<String, List<Backend>> byName) {
    List<Backend> all = byName.values().stream().flatMap(List::stream).toList();
    Map<String, ModelConfig> configs = new LinkedHashMap<>();
    for (ModelConfig model : config.models()) {
      configs.put(model.name(), model);
      model.aliases().forEach(alias -> configs.put(alias, model));
    }
    Map<String, Model> models = new HashMap<>();
    configs.forEach((name, model) -> models.put(name, model(model, configs, byName)));
    return new Table(all, models, defaultModel(config), config.file() == null);
  }

  private static @Nullable String defaultModel(RoutingConfig config) {
    return config.defaultModel() == null && config.models().size() == 1
        ? config.models().get(0).name()
        : config.defaultModel();
  }

  private static Model model(
      ModelConfig config, Map<String, ModelConfig> all, Map<String, List<Backend>> byName) {
    Set<ModelConfig> after = new LinkedHashSet<>();
    collectFallback(config, all, after);
    after.remove(config); // Where two stand in for each other.
    List<Model> fallback = after.stream().map(each -> alone(each, byName)).toList();
    Model first = alone(config, byName);
    return new Model(first.name(), first.pools(), fallback, first.rescue(), false);
  }

  /** A model's own fallback in order, each followed by what stands in for it in turn. */
  private static void collectFallback(
      ModelConfig model, Map<String, ModelConfig> all, Set<ModelConfig> found) {
    for (String name : model.fallback()) {
      ModelConfig next = Objects.requireNonNull(all.get(name), "checked when it was read");
      if (found.add(next)) {
        collectFallback(next, all, found);
      }
    }
  }

  private static Model alone(ModelConfig config, Map<String, List<Backend>> byName) {
    List<Pool> pools = new ArrayList<>();
    for (ModelConfig.Target target : config.targets()) {
      List<Backend> members =
          target.backends().stream()
              .flatMap(name -> byName.getOrDefault(name, List.of()).stream())
              .toList();
      pools.add(new Pool(members, target.model(), target.weight()));
    }
    return new Model(config.name(), pools, List.of(), config.rescue(), false);
  }

  List<Backend> backends() {
    return backends;
  }

  /**
   * What is served under this name.
   *
   * @return null when nobody does
   */
  @Nullable Model find(String name) {
    Model configured = models.get(name);
    if (configured != null) {
      return configured;
    }
    if (backendDecides || name.isEmpty()) {
      return Model.unnamed(name, backends, true);
    }
    List<Backend> serving = backends.stream().filter(each -> each.serves(name)).toList();
    if (!serving.isEmpty()) {
      return Model.unnamed(name, serving, false);
    }
    List<Backend> silent = backends.stream().filter(each -> !each.hasListed()).toList();
    return silent.isEmpty() ? null : Model.unnamed(name, silent, true);
  }

  /**
   * The model of a call that names none. Null when several are served and none is the default;
   * empty before a backend was ever reached: it decides then.
   */
  @Nullable String modelOfUnnamed() {
    if (defaultModel != null) {
      return defaultModel;
    }
    List<String> served = served();
    return switch (served.size()) {
      case 0 -> "";
      case 1 -> served.get(0);
      default -> null;
    };
  }

  boolean knows(String model) {
    return upstreamNames.contains(model)
        || models.containsKey(model)
        || model.equals(defaultModel)
        || backends.stream().anyMatch(each -> each.serves(model));
  }

  List<String> served() {
    return backends.size() == 1 && models.isEmpty()
        ? backends.get(0).models()
        : all().distinct().toList();
  }

  private Stream<String> all() {
    return models.isEmpty()
        ? backends.stream().flatMap(each -> each.models().stream())
        : models.values().stream().map(Model::name).sorted();
  }

  /** By name and alias. */
  Map<String, Boolean> modelsUp() {
    Map<String, Boolean> up = new HashMap<>();
    models.forEach((name, model) -> up.put(name, model.isUp()));
    return up;
  }

  /** Of all backends together: up when one is. */
  Upstream state() {
    boolean unknown = false;
    for (Backend each : backends) {
      Upstream probed = each.condition().probed();
      if (probed == Upstream.UP && !each.isWedged()) {
        return Upstream.UP;
      }
      unknown |= probed == Upstream.UNKNOWN;
    }
    return unknown ? Upstream.UNKNOWN : Upstream.DOWN;
  }

  /** Half of them at most are put aside, so one alone never is. */
  boolean mayEject() {
    long ejected = backends.stream().filter(each -> each.condition().isEjected()).count();
    return ejected < backends.size() / 2;
  }

  void callBegan() {
    calls.incrementAndGet();
  }

  void callEnded() {
    calls.decrementAndGet();
  }

  boolean isUnused() {
    return calls.get() == 0;
  }
}
