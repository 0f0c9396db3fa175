package inferencegateway.route;

import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.chat.Reason;
import inferencegateway.health.Readiness.Upstream;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Where calls go now. Replaced as a whole when the routes change. Thread-safe. */
public final class Routes {

  /** Longest list of names that an error repeats: statuses must stay small. */
  private static final int NAMES_SHOWN = 10;

  private static final int NAME_CHARS_SHOWN = 100;

  private volatile Table table;

  Routes(Table table) {
    this.table = table;
  }

  void replace(Table next) {
    table = next;
  }

  public List<Backend> backends() {
    return table.backends();
  }

  /** Of all backends together: up when one is. */
  public Upstream state() {
    return table.state();
  }

  /** Whether each model that the routing file names has a backend that is up. */
  public Map<String, Boolean> modelsUp() {
    return table.modelsUp();
  }

  /**
   * Chooses for a call.
   *
   * @param asked the caller's model; empty when it named none
   * @param requestId decides where weights leave a choice
   * @param session calls of one session go to one backend as far as that is good; empty for none
   * @param mayUse who has to name a model is told only of those
   */
  public Choice choose(String asked, String requestId, String session, Predicate<String> mayUse) {
    Table now = table;
    String name = asked.isEmpty() ? now.modelOfUnnamed() : asked;
    if (name == null) {
      return new Choice.Refused(ambiguous(now.served().stream().filter(mayUse).toList()));
    }
    Model model = now.find(name);
    return model == null
        ? new Choice.Refused(unknown(name))
        : new Choice.Found(Trip.to(now, model, CallKey.of(requestId, session)));
  }

  /** Whether that is a model of the configuration, or one that a backend lists now. */
  public boolean knows(String model) {
    return table.knows(model);
  }

  /** The model that a call without one gets; empty while that is unknown. */
  public String defaultModel() {
    String only = table.modelOfUnnamed();
    return only == null ? "" : only;
  }

  /** A call to that backend came to a good end. */
  public void succeeded(Backend backend) {
    backend.progressed();
  }

  /** A call to that backend failed. */
  public void failed(Backend backend, Reason reason) {
    backend.failed(reason, table.mayEject());
  }

  private static Failure unknown(String model) {
    String shown =
        model.length() > NAME_CHARS_SHOWN ? model.substring(0, NAME_CHARS_SHOWN) + "..." : model;
    return Failure.of(Reason.MODEL_NOT_FOUND, "no backend serves the model '" + shown + "'");
  }

  private static Failure ambiguous(List<String> models) {
    String names = String.join(", ", models.subList(0, Math.min(NAMES_SHOWN, models.size())));
    String more = models.size() > NAMES_SHOWN ? ", ..." : "";
    return Failure.invalid(
        List.of(
            new FieldViolation(
                "model",
                "name one: the backend serves several and the gateway has no default"
                    + (names.isEmpty() ? "" : "; one of " + names + more))));
  }

  /** What came of choosing. */
  public sealed interface Choice {
    /** There is a backend. */
    record Found(Trip trip) implements Choice {}

    /** The caller has to say more, or something else. */
    record Refused(Failure failure) implements Choice {}
  }
}
