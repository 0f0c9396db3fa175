package inferencegateway.simulator;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can go wrong on request. The name in a spec is the constant's in lower case with
 * dashes.
 *
 * <p>N counts tokens; a cut at N beyond the answer's end happens at its end, before the finish.
 */
public enum Fault {
  NONE("", "forgets the faults named before it, the flag's too"),

  STATUS(
      "CODE",
      "answers with that HTTP status and vLLM's body for it; also 404-route, 500-empty, 503-starting, 503-queue"),
  RETRY_AFTER("TEXT", "2", "with status: a Retry-After header"),
  LOCATION("URL", "http://127.0.0.1:9/elsewhere", "with status=302 and the like: where it points"),
  ERROR_MESSAGE("TEXT", "message of the error body or event"),
  ERROR_TYPE("TEXT", "type of the error body or event"),
  ERROR_CODE("TEXT", "500", "code of the error event"),
  CONTEXT_LENGTH("", "400 with vLLM's words for a prompt that does not fit"),
  HTML("", "200 with a proxy's HTML page"),
  EMPTY_BODY("", "200 and nothing else"),
  EXIT_AFTER(
      "DURATION",
      "0",
      "the whole server stops that long after the answer, as an engine's watchdog does"),

  CLOSE_BEFORE_RESPONSE("", "closes without a byte"),
  RESET_BEFORE_RESPONSE("", "resets without a byte"),
  CLOSE_IF_REUSED("", "closes without a byte if the connection has already served a request"),
  DROP_AFTER_HEADERS("", "200, then a reset before the first event"),
  DROP_AFTER("N", "3", "a reset after N tokens"),
  EOF_AFTER("N", "3", "a clean end of the body after N tokens, no finish_reason, no [DONE]"),
  ERROR_EVENT_AFTER("N", "3", "an error event and [DONE] after N tokens; not streamed: HTTP 500"),
  STALL_AFTER("N", "3", "nothing more after N tokens; 0: headers only"),
  STALL_BEFORE_HEADERS("", "reads the request and never answers"),
  WEDGE("", "while this request lives, no request gets a token; /health says 200"),
  BAD_CHUNK("N", "3", "an invalid chunk size after N tokens"),
  SHORT_CONTENT_LENGTH("", "a body that ends before its Content-Length"),

  NO_FINISH("", "no finish_reason key at the end"),
  NULL_FINISH("", "finish_reason null at the end"),
  EMPTY_FINISH("", "finish_reason \"\" at the end"),
  FINISH("WORD", "that finish_reason, as error, abort or an unknown word"),
  FINISH_WITH_LAST("", "finish_reason in the chunk of the last token"),
  FINISH_ALONE("", "finish_reason in a chunk of its own, also when max_tokens cuts"),
  NO_DONE("", "no [DONE]"),
  DONE_ONLY("", "[DONE] and no choices"),
  USAGE_NONE("", "no usage, asked for or not"),
  CONTINUOUS_USAGE("", "usage on every chunk"),

  SPLIT("BYTES", "1", "every so many bytes a TCP write of their own"),
  EOL("WORD", "crlf", "line ends of events: lf, crlf or cr"),
  NO_SPACE("", "data:{ without the space"),
  MULTI_LINE("", "each event's JSON over two data lines"),
  COMMENTS("", "comments, id, retry, event and blank events between"),
  EVENT("WORD", "error", "an event: line with that word before each data line"),
  BOM("", "a byte order mark first"),
  LATE_HEADERS("", "headers leave with the first token, not at once"),

  NO_ROLE("", "no role-only first chunk"),
  ROLE_ONLY("", "three role-only chunks first"),
  NULL_DELTAS("", "chunks with null, missing and empty deltas and contents"),
  ODD_JSON("", "extra and repeated keys, other order, white space, everything escaped"),
  REASONING("N", "5", "the first N tokens are reasoning"),
  REASONING_CONTENT("N", "5", "the same under vLLM's older name"),
  SURROGATES("", "an emoji whose two halves are escaped in two chunks"),
  LONE_SURROGATE("", "half an emoji"),
  INVALID_UTF8("", "bytes that are not UTF-8 inside a token"),
  DEEP_NESTING("COUNT", "2000", "an extra field of so many arrays in arrays"),
  HUGE_NUMBER("COUNT", "5000", "an extra field that is a number of so many digits"),
  HUGE_LINE("BYTES", "8388608", "one token of so many bytes"),
  BIG_ANSWER("BYTES", "8388608", "an answer of so many bytes in all"),

  TRAILING_GARBAGE("", "bytes after the end of the answer"),
  UNSOLICITED("DURATION", "50ms", "that long after the answer, bytes nobody asked for"),
  CLOSE_IDLE_AFTER("DURATION", "50ms", "closes the connection that long after the answer"),
  CONNECTION_CLOSE("", "Connection: close, and does so"),
  HTTP10("", "answers in HTTP/1.0"),
  CONTINUE_100("", "100 Continue first"),
  EARLY_HINTS_103("", "103 Early Hints first"),

  INTER_TOKEN(
      "DURATION", "20ms", "between two tokens of this answer; 0: as fast as they are taken"),
  STAMP("", "each token's text is a space and the System.nanoTime at which it was written"),

  HEALTH_STATUS("CODE", "503", "status of /health"),
  SLOW_HEALTH("DURATION", "2s", "/health takes that long"),
  MODELS_STATUS("CODE", "503-starting", "status of /v1/models"),
  OWN_ROOTS("", "/v1/models lists each name as a model of its own, not as names of one"),
  TIMES("N", "1", "set by flag or by code: for the first N chat requests only");

  private final String argument;
  private final @Nullable String byDefault;
  private final String help;

  Fault(String argument, String help) {
    this(argument, null, help);
  }

  Fault(String argument, @Nullable String byDefault, String help) {
    this.argument = argument;
    this.byDefault = byDefault;
    this.help = help;
  }

  /** As it is written in a spec. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One line for people: name, argument and default, meaning. */
  public String describe() {
    String shown = argument.isEmpty() ? word() : word() + "=" + argument;
    String preset = byDefault == null ? "" : " (default " + byDefault + ")";
    return String.format(Locale.ROOT, "%-26s %s%s", shown, help, preset);
  }

  /**
   * The value in force.
   *
   * @param given null when only the name was given
   * @throws IllegalArgumentException where it does not fit
   */
  String accept(@Nullable String given) {
    if (argument.isEmpty()) {
      require(given == null, "takes no value");
      return "";
    }
    String value = given == null ? byDefault : given;
    if (value == null) {
      throw new IllegalArgumentException("fault " + word() + " needs a value: " + argument);
    }
    check(value);
    return value;
  }

  private void check(String value) {
    switch (argument) {
      case "N", "COUNT" -> require(value.matches("\\d{1,8}"), "needs a whole number, got " + value);
      case "BYTES" -> require(value.matches("[1-9]\\d{0,8}"), "needs 1 byte or more, got " + value);
      case "DURATION" -> HumanDuration.parse(value);
      case "CODE" -> require(ErrorAnswer.isKnown(value), "knows no status " + value);
      default -> require(fitsHeader(value), "takes visible characters only");
    }
    if (this == EOL) {
      require(value.matches("lf|crlf|cr"), "is lf, crlf or cr, not " + value);
    }
  }

  private static boolean fitsHeader(String value) {
    return value.chars().noneMatch(c -> c < ' ' || c == 0x7f);
  }

  private void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException("fault " + word() + " " + problem);
    }
  }
}
