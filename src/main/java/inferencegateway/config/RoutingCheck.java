package inferencegateway.config;

import inferencegateway.config.RoutingFile.Read;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the parts of a routing file belong together: names once, references to what there is. */
final class RoutingCheck {

  private final Section root;
  private final List<Read<BackendConfig>> backends;
  private final List<Read<ModelConfig>> models;

  /** By name and by alias. */
  private final Map<String, ModelConfig> byName = new HashMap<>();

  RoutingCheck(Section root, List<Read<BackendConfig>> backends, List<Read<ModelConfig>> models) {
    this.root = root;
    this.backends = backends;
    this.models = models;
  }

  void run(@Nullable String defaultModel) {
    backendsAreNamedOnce();
    modelsAreNamedOnce();
    for (Read<ModelConfig> model : models) {
      targetsAreThere(model);
      fallbackIsThere(model);
      fallbackIsAnother(model);
    }
    if (defaultModel != null && !models.isEmpty() && !byName.containsKey(defaultModel)) {
      root.wrong(
          "default-model",
          "must be one of the models" + Nearest.hint(defaultModel, byName.keySet()));
    }
  }

  private void backendsAreNamedOnce() {
    Set<String> seen = new HashSet<>();
    for (Read<BackendConfig> each : backends) {
      if (!seen.add(each.value().name())) {
        each.at().wrong("name", "must be its own; another backend has it too");
      }
    }
  }

  private void modelsAreNamedOnce() {
    models.forEach(each -> byName.put(each.value().name(), each.value()));
    for (Read<ModelConfig> each : models) {
      for (String alias : each.value().aliases()) {
        if (byName.putIfAbsent(alias, each.value()) != null) {
          each.at().wrong("aliases", "must be new names; " + alias + " is taken");
        }
      }
    }
  }

  private void targetsAreThere(Read<ModelConfig> model) {
    Set<String> known =
        backends.stream().map(each -> each.value().name()).collect(Collectors.toSet());
    model.value().targets().stream()
        .flatMap(target -> target.backends().stream())
        .filter(name -> !known.contains(name))
        .forEach(name -> missing(model.at(), "targets", "backends", name, known));
  }

  private void fallbackIsThere(Read<ModelConfig> model) {
    model.value().fallback().stream()
        .filter(name -> !byName.containsKey(name))
        .forEach(name -> missing(model.at(), "fallback", "models", name, byName.keySet()));
  }

  private static void missing(Section at, String key, String kind, String name, Set<String> known) {
    at.wrong(
        key,
        "must name " + kind + " of this file; there is no " + name + Nearest.hint(name, known));
  }

  /** Two may stand in for each other; a call tries each model once. */
  private void fallbackIsAnother(Read<ModelConfig> model) {
    for (String name : model.value().fallback()) {
      if (model.value().equals(byName.get(name))) {
        model.at().wrong("fallback", "must name other models; " + name + " is this one");
      }
    }
  }
}
