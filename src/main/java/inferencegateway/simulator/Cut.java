package inferencegateway.simulator;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where and how an answer breaks off.
 *
 * @param after tokens that still leave
 */
record Cut(int after, Kind kind) {

  enum Kind {
    RESET,
    END_OF_BODY,
    ERROR_EVENT,
    STALL,
    BAD_CHUNK,
    SHORT_BODY
  }

  private static final Map<Fault, Kind> COUNTED =
      Map.of(
          Fault.DROP_AFTER, Kind.RESET,
          Fault.EOF_AFTER, Kind.END_OF_BODY,
          Fault.ERROR_EVENT_AFTER, Kind.ERROR_EVENT,
          Fault.STALL_AFTER, Kind.STALL,
          Fault.BAD_CHUNK, Kind.BAD_CHUNK);

  /** The earliest of those asked for; null: the answer runs to its end. */
  static @Nullable Cut of(FaultSpec spec, int tokens) {
    Cut first = null;
    if (spec.has(Fault.STALL_BEFORE_HEADERS) || spec.has(Fault.WEDGE)) {
      first = new Cut(0, Kind.STALL);
    } else if (spec.has(Fault.DROP_AFTER_HEADERS)) {
      first = new Cut(0, Kind.RESET);
    } else if (spec.has(Fault.SHORT_CONTENT_LENGTH)) {
      first = new Cut(tokens / 2, Kind.SHORT_BODY);
    }
    for (Map.Entry<Fault, Kind> counted : COUNTED.entrySet()) {
      if (spec.has(counted.getKey())) {
        int after = Math.min(tokens, spec.number(counted.getKey(), 0));
        first = first == null || after < first.after ? new Cut(after, counted.getValue()) : first;
      }
    }
    return first;
  }
}
