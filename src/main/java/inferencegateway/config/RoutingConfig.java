package inferencegateway.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which backends there are and what they serve.
 *
 * @param file where it was read from, key {@code routing.file}; null: the flat settings' one
 *     backend, which decides itself about names of models
 * @param backends at least one
 * @param models may be empty: backends say what they serve
 * @param defaultModel the model of calls that name none; null: the only one there is
 * @param initial what the file leaves out
 */
public record RoutingConfig(
    @Nullable Path file,
    List<BackendConfig> backends,
    List<ModelConfig> models,
    @Nullable String defaultModel,
    Initial initial) {

  public RoutingConfig {
    backends = List.copyOf(backends);
    models = List.copyOf(models);
  }

  /**
   * Flat settings that hold for what the file leaves out.
   *
   * @param defaultModel key {@code model}
   * @param lenientFinish key {@code upstream.lenient-finish}
   * @param running key {@code admission.running}
   */
  public record Initial(@Nullable String defaultModel, boolean lenientFinish, int running) {}

  /** One backend, as the flat settings describe it. */
  public static RoutingConfig only(
      BackendUrl url, @Nullable Path apiKeyFile, BackendTls tls, Initial initial) {
    BackendConfig backend =
        new BackendConfig(
            BackendConfig.ONLY,
            url,
            apiKeyFile,
            tls,
            initial.lenientFinish(),
            1,
            initial.running(),
            false);
    return new RoutingConfig(null, List.of(backend), List.of(), initial.defaultModel(), initial);
  }

  /**
   * The same file as it is now; this one where there is no file.
   *
   * @throws ConfigException with everything that is wrong with it
   */
  public RoutingConfig reread() {
    return file == null ? this : RoutingFile.read(file, initial);
  }
}
