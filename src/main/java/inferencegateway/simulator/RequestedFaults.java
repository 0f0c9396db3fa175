package inferencegateway.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The faults of one chat request: those in force, then its header's, then those its messages name
 * as {@code [[sim:SPEC]]}. A later one wins.
 */
final class RequestedFaults {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OPEN = "[[sim:";
  private static final String CLOSE = "]]";

  private RequestedFaults() {}

  /**
   * @throws IllegalArgumentException with words for whoever asked
   */
  static FaultSpec of(FaultSpec standing, HttpAsk ask) {
    String header = ask.header(ChatExchange.FAULT_HEADER);
    FaultSpec spec = header == null ? standing : standing.and(header);
    String body = ask.text();
    for (int at = body.indexOf(OPEN); at >= 0; at = body.indexOf(OPEN, at + 1)) {
      int end = body.indexOf(CLOSE, at);
      if (end < 0) {
        throw new IllegalArgumentException("a " + OPEN + " marker without its " + CLOSE);
      }
      spec = spec.and(unescaped(body.substring(at + OPEN.length(), end)));
    }
    return spec;
  }

  /** The marker was found in JSON text, so that it works in any field, however odd the body. */
  private static String unescaped(String json) {
    try {
      return JSON.readValue('"' + json + '"', String.class);
    } catch (JsonProcessingException notJson) {
      return json;
    }
  }
}
