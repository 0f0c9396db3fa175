package inferencegateway.route;

import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The backends that there are, and the model of a call that names none. Thread-safe. */
public final class Routes {

  /** Longest list of names that an error repeats: statuses must stay small. */
  private static final int NAMES_SHOWN = 10;

  private final List<Backend> backends;
  private final @Nullable String defaultModel;

  /**
   * @param backends at least one; all serve the same models
   */
  public Routes(List<Backend> backends, @Nullable String defaultModel) {
    this.backends = List.copyOf(backends);
    this.defaultModel = defaultModel;
  }

  public List<Backend> backends() {
    return backends;
  }

  /**
   * Chooses for a call.
   *
   * @param asked the caller's model; empty when it named none
   */
  public Choice choose(String asked) {
    if (!asked.isEmpty()) {
      return trip(asked);
    }
    String only = modelOfUnnamed();
    return only == null ? new Choice.Refused(ambiguous(served())) : trip(only);
  }

  /** The model that a call without one gets; empty while that is unknown. */
  public String defaultModel() {
    String only = modelOfUnnamed();
    return only == null ? "" : only;
  }

  /**
   * Null when several are served and none is the default; empty before a backend was ever reached:
   * it decides then.
   */
  private @Nullable String modelOfUnnamed() {
    if (defaultModel != null) {
      return defaultModel;
    }
    List<String> models = served();
    return switch (models.size()) {
      case 0 -> "";
      case 1 -> models.get(0);
      default -> null;
    };
  }

  private List<String> served() {
    return backends.size() == 1
        ? backends.get(0).models()
        : backends.stream().flatMap(each -> each.models().stream()).distinct().toList();
  }

  private Choice trip(String model) {
    return new Choice.Found(new Trip(model, backends));
  }

  private static Failure ambiguous(List<String> models) {
    String names = String.join(", ", models.subList(0, Math.min(NAMES_SHOWN, models.size())));
    String more = models.size() > NAMES_SHOWN ? ", ..." : "";
    return Failure.invalid(
        List.of(
            new FieldViolation(
                "model",
                "name one: the backend serves several and the gateway has no default; one of "
                    + names
                    + more)));
  }

  /** What came of choosing. */
  public sealed interface Choice {
    /** There is a backend. */
    record Found(Trip trip) implements Choice {}

    /** The caller has to say more. */
    record Refused(Failure failure) implements Choice {}
  }
}
