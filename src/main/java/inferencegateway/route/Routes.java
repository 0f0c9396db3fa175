package inferencegateway.route;

import inferencegateway.admission.Admission;
import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.upstream.OpenAiBackend;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The one backend there is, and the model of a call that names none. Thread-safe. */
public final class Routes {

  /** Longest list of names that an error repeats: statuses must stay small. */
  private static final int NAMES_SHOWN = 10;

  private final OpenAiBackend backend;
  private final Admission admission;
  private final @Nullable String defaultModel;

  /** What the backend listed last; written by the probe, read by every loop. */
  private volatile List<String> served = List.of();

  public Routes(OpenAiBackend backend, Admission admission, @Nullable String defaultModel) {
    this.backend = backend;
    this.admission = admission;
    this.defaultModel = defaultModel;
  }

  /** Takes over the list of the last good probe. */
  public void served(List<String> models) {
    served = List.copyOf(models);
  }

  /**
   * Chooses for a call.
   *
   * @param asked the caller's model; empty when it named none
   */
  public Choice choose(String asked) {
    if (!asked.isEmpty()) {
      return route(asked);
    }
    String only = modelOfUnnamed();
    return only == null ? new Choice.Refused(ambiguous(served)) : route(only);
  }

  /** The model that a call without one gets; empty while that is unknown. */
  public String defaultModel() {
    String only = modelOfUnnamed();
    return only == null ? "" : only;
  }

  /**
   * Null when several are served and none is the default; empty before the backend was ever
   * reached: it decides then.
   */
  private @Nullable String modelOfUnnamed() {
    if (defaultModel != null) {
      return defaultModel;
    }
    List<String> models = served;
    return switch (models.size()) {
      case 0 -> "";
      case 1 -> models.get(0);
      default -> null;
    };
  }

  private Choice route(String model) {
    return new Choice.Found(new Route(backend, admission, model));
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
    record Found(Route route) implements Choice {}

    /** The caller has to say more. */
    record Refused(Failure failure) implements Choice {}
  }
}
