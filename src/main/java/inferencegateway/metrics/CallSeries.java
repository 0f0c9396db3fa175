package inferencegateway.metrics;

import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The labels of a call. Made once for calls that are alike, and kept; whatever a caller may choose
 * freely is brought down to a bounded set first. Thread-safe.
 */
final class CallSeries {

  /** The wire format that answers come in; what serves behind it is not known here. */
  private static final String PROVIDER = "openai";

  private static final String OPERATION = "chat";

  private static final int MOST_MODELS = 200;
  private static final int MOST_BACKENDS = 200;
  private static final int MOST_KEPT = 10_000;

  /**
   * Labels, by what they are for.
   *
   * @param plain of what is told apart by model, method and caller only
   * @param ended the same, and by outcome
   * @param model of what is told apart by model only
   */
  record Of(
      Attributes call,
      Attributes duration,
      Attributes plain,
      Attributes ended,
      Attributes input,
      Attributes output,
      Attributes model) {}

  private record Like(
      String model,
      String method,
      String caller,
      CallOutcome outcome,
      String code,
      @Nullable String reason,
      Phase phase) {}

  private record At(
      String backend, CallOutcome outcome, @Nullable Reason reason, @Nullable Phase phase) {}

  private record Prefill(String backend, Attributes model, boolean came) {}

  private final Predicate<String> knownModel;
  private final Bounded models = new Bounded(MOST_MODELS);
  private final Bounded callers;
  private final Bounded backends = new Bounded(MOST_BACKENDS);

  private final Map<Like, Of> kept = new ConcurrentHashMap<>();
  private final Map<At, Attributes> keptAttempts = new ConcurrentHashMap<>();
  private final Map<Prefill, Attributes> keptPrefills = new ConcurrentHashMap<>();
  private final Map<CallOutcome, Attributes> outcomes = new EnumMap<>(CallOutcome.class);

  /**
   * @param knownModel whether a model is one of the operator's or of the backends'; asked for every
   *     call
   * @param mostCallers how many of them are told apart
   */
  CallSeries(Predicate<String> knownModel, int mostCallers) {
    this.knownModel = knownModel;
    this.callers = new Bounded(mostCallers);
    for (CallOutcome outcome : CallOutcome.values()) {
      outcomes.put(outcome, Attributes.of(Label.OUTCOME, outcome.word()));
    }
  }

  Of of(CallRecord call) {
    Like like =
        new Like(
            model(call.model()),
            call.method(),
            call.caller().isEmpty() ? "" : callers.of(call.caller()),
            call.outcome(),
            call.code(),
            call.reason(),
            call.phase());
    Of known = kept.get(like);
    if (known != null) {
      return known;
    }
    Of made = made(like);
    if (kept.size() < MOST_KEPT) {
      kept.put(like, made);
    }
    return made;
  }

  private String model(String said) {
    if (said.isEmpty()) {
      return "";
    }
    return knownModel.test(said) ? models.of(said) : Bounded.OTHER;
  }

  private static Of made(Like like) {
    AttributesBuilder call =
        Attributes.builder()
            .put(Label.OUTCOME, like.outcome().word())
            .put(Label.STATUS, like.code())
            .put(Label.METHOD, like.method());
    put(call, Label.REASON, like.reason());
    put(call, Label.PHASE, like.outcome() == CallOutcome.OK ? "" : like.phase().word());
    put(call, Label.MODEL, like.model());
    put(call, Label.CALLER, like.caller());
    AttributesBuilder plain =
        Attributes.builder()
            .put(Label.OPERATION, OPERATION)
            .put(Label.PROVIDER, PROVIDER)
            .put(Label.METHOD, like.method());
    put(plain, Label.MODEL, like.model());
    put(plain, Label.CALLER, like.caller());
    Attributes all = plain.build();
    AttributesBuilder model = Attributes.builder();
    put(model, Label.MODEL, like.model());
    return new Of(
        call.build(),
        duration(all, like),
        all,
        all.toBuilder().put(Label.OUTCOME, like.outcome().word()).build(),
        all.toBuilder().put(Label.TOKEN_TYPE, "input").build(),
        all.toBuilder().put(Label.TOKEN_TYPE, "output").build(),
        model.build());
  }

  private static Attributes duration(Attributes plain, Like like) {
    AttributesBuilder duration = plain.toBuilder().put(Label.STATUS, like.code());
    if (like.outcome() != CallOutcome.OK) {
      String error = like.reason() == null ? like.outcome().word() : like.reason();
      duration.put(Label.ERROR, error);
    }
    return duration.build();
  }

  /** What is not there is no label, as in the log. */
  private static void put(
      AttributesBuilder attributes, AttributeKey<String> label, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      attributes.put(label, value);
    }
  }

  Attributes attempt(AttemptRecord attempt) {
    boolean well = attempt.outcome() == CallOutcome.OK;
    return keptAttempts.computeIfAbsent(
        new At(
            backends.of(attempt.backend()),
            attempt.outcome(),
            attempt.reason(),
            well ? null : attempt.phase()),
        CallSeries::made);
  }

  private static Attributes made(At at) {
    AttributesBuilder made =
        Attributes.builder()
            .put(Label.BACKEND, at.backend())
            .put(Label.OUTCOME, at.outcome().word());
    put(made, Label.REASON, at.reason() == null ? "" : at.reason().name());
    put(made, Label.PHASE, at.phase() == null ? "" : at.phase().word());
    return made.build();
  }

  /**
   * @param model {@link Of#model}
   * @param came whether there was a first token
   */
  Attributes prefill(String backend, Attributes model, boolean came) {
    return keptPrefills.computeIfAbsent(
        new Prefill(backends.of(backend), model, came),
        of ->
            of.model().toBuilder()
                .put(Label.BACKEND, of.backend())
                .put(Label.FIRST_TOKEN_CAME, of.came() ? "yes" : "no")
                .build());
  }

  /** Of a call whose caller has left; seldom enough to be made anew. */
  Attributes left(CallRecord call) {
    AttributesBuilder left = Attributes.builder().put(Label.OUTCOME, call.outcome().word());
    put(left, Label.MODEL, model(call.model()));
    return left.build();
  }

  Attributes outcome(CallOutcome outcome) {
    return outcomes.getOrDefault(outcome, Attributes.empty());
  }
}
