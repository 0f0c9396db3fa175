package inferencegateway.config;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the configuration: flag before environment before file before default. */
public final class Settings {

  /** Names the file to read; no setting itself. */
  public static final String CONFIG = "config";

  private static final String CONFIG_VARIABLE = "GATEWAY_CONFIG";

  private Settings() {}

  /** Every setting, in the order in which people are shown them. */
  public static List<Setting<?>> all() {
    return Keys.ALL;
  }

  static Optional<Setting<?>> find(String key) {
    return Keys.ALL.stream().filter(setting -> setting.key().equals(key)).findFirst();
  }

  static List<String> keys() {
    return Keys.ALL.stream().map(Setting::key).toList();
  }

  /**
   * @param flags by key, as {@code drain.pause}; {@value #CONFIG} names the file
   * @param environment the process's whole environment
   * @throws ConfigException with everything that is wrong
   */
  public static Loaded read(Map<String, String> flags, Map<String, String> environment) {
    return read(flags, environment, Map.of(), List.of());
  }

  /**
   * @param presets a command's own defaults, by key; weaker than everything else but the defaults
   * @param found problems of the command line, to be told together with the others
   */
  public static Loaded read(
      Map<String, String> flags,
      Map<String, String> environment,
      Map<String, String> presets,
      List<Problem> found) {
    Problems problems = new Problems(found);
    Map<String, Value> layered = new LinkedHashMap<>();
    presets.forEach((key, text) -> layered.put(key, new Value(text, new Source("preset"))));
    Map<String, String> given = new LinkedHashMap<>(flags);
    Optional<Value> file = fileName(given.remove(CONFIG), environment.get(CONFIG_VARIABLE));
    file.ifPresent(name -> layered.putAll(YamlFile.read(name, problems)));
    Environment variables = Environment.of(environment);
    layered.putAll(variables.values());
    layered.putAll(CommandLineValues.of(given, problems));

    Values values = new Values(layered, problems);
    GatewayConfig config = new Assembly(values, problems).config();
    return new Loaded(config, values.shown(), warnings(variables, values, config));
  }

  private static Optional<Value> fileName(@Nullable String flag, @Nullable String variable) {
    if (flag != null) {
      return Optional.of(new Value(flag, Source.flag("--" + CONFIG)));
    }
    return Optional.ofNullable(variable)
        .filter(name -> !name.isEmpty())
        .map(name -> new Value(name, Source.variable(CONFIG_VARIABLE)));
  }

  private static List<String> warnings(Environment variables, Values values, GatewayConfig config) {
    List<String> warnings = new ArrayList<>(variables.warnings());
    if (values.isSet(Keys.ROUTING_FILE)) {
      Stream.of(
              Keys.BACKEND,
              Keys.API_KEY_FILE,
              Keys.UPSTREAM_CA,
              Keys.UPSTREAM_CERT,
              Keys.UPSTREAM_KEY,
              Keys.UPSTREAM_SERVER_NAME)
          .filter(values::isSet)
          .map(flat -> flat.key() + ": has no effect beside routing.file, which lists the backends")
          .forEach(warnings::add);
    }
    warnings.addAll(AccessWarnings.of(config));
    warnings.addAll(certificateWarnings(config));
    config.routing().models().stream()
        .filter(model -> model.rescue() && cannotRescue(config, model))
        .map(
            model ->
                "routing.file: model "
                    + model.name()
                    + ": rescue has no effect, as each of its targets has one backend only")
        .forEach(warnings::add);
    config.routing().backends().stream()
        .map(BackendConfig::url)
        .filter(url -> url.basePath().isEmpty())
        .map(Settings::pathIsMissing)
        .forEach(warnings::add);
    return List.copyOf(warnings);
  }

  private static List<String> certificateWarnings(GatewayConfig config) {
    Instant now = Instant.now();
    return CertificateFile.of(config).stream()
        .flatMap(file -> file.warnings(now).stream())
        .toList();
  }

  private static boolean cannotRescue(GatewayConfig config, ModelConfig model) {
    Set<String> several =
        config.routing().backends().stream()
            .filter(BackendConfig::eachAddress)
            .map(BackendConfig::name)
            .collect(Collectors.toSet());
    return model.targets().stream()
        .map(ModelConfig.Target::backends)
        .allMatch(names -> names.size() == 1 && !several.contains(names.get(0)));
  }

  private static String pathIsMissing(BackendUrl url) {
    return "backend: \""
        + url.text()
        + "\" has no path; OpenAI-compatible servers usually answer below /v1";
  }

  /**
   * @param inForce one entry a setting, in the order of {@link #all}
   * @param warnings what looks like a mistake but stops nothing; one line each
   */
  public record Loaded(GatewayConfig config, List<InForce> inForce, List<String> warnings) {}

  /**
   * @param text the value as it may be shown; empty when it is not set
   */
  public record InForce(String key, String text, Source source) {}
}
