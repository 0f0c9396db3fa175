package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Counts in JSON, whatever they were written as. */
final class JsonNumbers {

  private JsonNumbers() {}

  /**
   * Zero for anything but a number, which is then skipped; fractions are cut, excess is clamped.
   */
  static int orZero(JsonParser parser, JsonToken value) throws IOException {
    if (!value.isNumeric()) {
      parser.skipChildren();
      return 0;
    }
    return (int) parser.getDoubleValue();
  }
}
