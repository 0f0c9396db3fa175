package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

/** How events are laid out around their JSON: what a parser of event streams must put up with. */
final class EventStyle {

  private final String lead;
  private final String field;
  private final String eol;
  private final boolean multiLine;

  EventStyle(FaultSpec spec) {
    eol =
        switch (spec.text(Fault.EOL, "lf")) {
          case "crlf" -> "\r\n";
          case "cr" -> "\r";
          default -> "\n";
        };
    field = spec.has(Fault.NO_SPACE) ? "data:" : "data: ";
    multiLine = spec.has(Fault.MULTI_LINE);
    lead = lead(spec);
  }

  private String lead(FaultSpec spec) {
    String lead = "";
    if (spec.has(Fault.COMMENTS)) {
      lead =
          ": ping"
              + eol
              + eol
              + eol
              + "id: 7"
              + eol
              + "retry: 3000"
              + eol
              + "unknown: field"
              + eol
              + "event: message"
              + eol
              + ":"
              + eol;
    }
    return spec.has(Fault.EVENT) ? lead + "event: " + spec.text(Fault.EVENT) + eol : lead;
  }

  /** An event whose JSON object goes around the tokens. */
  Event around(String before, String after) {
    String start =
        multiLine && before.startsWith("{") ? "{" + eol + field + before.substring(1) : before;
    return new Event((lead + field + start).getBytes(UTF_8), (after + eol + eol).getBytes(UTF_8));
  }

  Event whole(String data) {
    return Event.of((lead + field + data + eol + eol).getBytes(UTF_8));
  }
}
