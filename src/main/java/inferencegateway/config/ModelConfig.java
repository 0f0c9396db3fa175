package inferencegateway.config;

import java.util.List;

/**
 * One model that callers may ask for.
 *
 * @param targets at least one, with a weight above 0
 * @param aliases further names of it
 * @param fallback models that answer in its place, in order of preference
 * @param rescue whether an answer that breaks off is continued elsewhere
 */
public record ModelConfig(
    String name,
    List<Target> targets,
    List<String> aliases,
    List<String> fallback,
    boolean rescue) {

  public ModelConfig {
    targets = List.copyOf(targets);
    aliases = List.copyOf(aliases);
    fallback = List.copyOf(fallback);
  }

  /**
   * A pool of backends that serve the model alike.
   *
   * @param backends their names, at least one
   * @param model the name that they know it by
   * @param weight its share of the calls beside the other targets'
   */
  public record Target(List<String> backends, String model, int weight) {
    public Target {
      backends = List.copyOf(backends);
    }
  }
}
