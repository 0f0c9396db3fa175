package inferencegateway.chat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One clear answer to whatever went wrong. Made where the fault is seen, turned into a gRPC status
 * in one place ({@code call.Statuses}); in between nobody parses its text.
 *
 * @param message one sentence of the gateway's own that a person can act on; no secrets, no prompts
 * @param quoted what the backend said, cleaned, to be added for the caller; may repeat the request,
 *     and so never goes into a log; empty for nothing
 * @param violations the fields at fault, for INVALID_ARGUMENT
 * @param upstream the backend's own words, where there are some
 * @param retryAfter how long the backend asked to wait; null where it did not
 * @param facts further figures for programs, in {@code ErrorInfo}: few, short, no secrets
 * @param forLog what only the operator may see, as the backend's address; empty for nothing
 */
public record Failure(
    Reason reason,
    String message,
    String quoted,
    List<FieldViolation> violations,
    UpstreamError upstream,
    @Nullable Duration retryAfter,
    Map<String, String> facts,
    String forLog) {

  public Failure {
    violations = List.copyOf(violations);
    facts = Map.copyOf(facts);
  }

  public static Failure of(Reason reason, String message) {
    return new Failure(reason, message, "", List.of(), UpstreamError.NONE, null, Map.of(), "");
  }

  public static Failure invalid(List<FieldViolation> violations) {
    FieldViolation first = violations.get(0);
    String more = violations.size() > 1 ? " (and " + (violations.size() - 1) + " more)" : "";
    return new Failure(
        Reason.INVALID_REQUEST,
        first.field() + ": " + first.description() + more,
        "",
        violations,
        UpstreamError.NONE,
        null,
        Map.of(),
        "");
  }

  /** The sentence for the caller. */
  public String told() {
    return quoted.isEmpty() ? message : message + ": " + quoted;
  }

  public Failure withUpstream(UpstreamError error) {
    return new Failure(reason, message, quoted, violations, error, retryAfter, facts, forLog);
  }

  public Failure withRetryAfter(@Nullable Duration pause) {
    return new Failure(reason, message, quoted, violations, upstream, pause, facts, forLog);
  }

  /** Says more to programs. */
  public Failure withFacts(Map<String, String> more) {
    return new Failure(reason, message, quoted, violations, upstream, retryAfter, more, forLog);
  }

  /** Adds what only the operator may see. */
  public Failure withLog(String detail) {
    return new Failure(reason, message, quoted, violations, upstream, retryAfter, facts, detail);
  }
}
