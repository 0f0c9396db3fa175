package inferencegateway.cli;

import io.grpc.Status;
import java.util.regex.Pattern;

/** What the client's own library says of a failed call, in words for people. */
final class LibraryWords {

  /** Says only that something is wrong; what it wraps says what. */
  private static final Pattern EMPTY = Pattern.compile("(?:io|ssl|http2) exception.*");

  /** Where the part for people ends: pipelines, dumps and state for the library's developers. */
  private static final Pattern REST =
      Pattern.compile(
          "\\s*(?:Channel Pipeline:|\\[(?:closed|open)=|[.:] Hex dump|: [0-9a-f]{16}).*");

  /** A call of the system's, before its reason. */
  private static final Pattern SYSTEM_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed[^:]*: ");

  /** In the library's account of a call that had no connection; with one it names the peer. */
  private static final Pattern NO_CONNECTION =
      Pattern.compile("^(?!.*remote_addr=).*(?:waiting_for_connection|connecting)");

  private LibraryWords() {}

  static String of(Status status) {
    String text = oneLine(String.valueOf(status.getDescription()));
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED && text.contains("deadline")) {
      return NO_CONNECTION.matcher(text).find()
          ? "the time was over before there was a connection"
          : "the time was over before the answer was whole";
    }
    Throwable cause = status.getCause();
    String reason = cause == null ? "" : forPeople(oneLine(String.valueOf(reason(cause))));
    if (reason.isEmpty()) {
      return forPeople(text);
    }
    return EMPTY.matcher(text).matches() ? reason : forPeople(text) + ": " + reason;
  }

  private static String reason(Throwable cause) {
    Throwable innermost = cause;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    return message == null ? innermost.getClass().getSimpleName() : message;
  }

  private static String forPeople(String text) {
    return SYSTEM_CALL.matcher(REST.matcher(text).replaceFirst("")).replaceFirst("").strip();
  }

  static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }
}
