package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import inferencegateway.chat.Usage;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads OpenAI's {@code usage} object. Figures that cannot be true are worth less than none: one
 * that is no count, or a total below its part, makes all of it count as not said.
 */
final class UsageDecoder {

  private @Nullable Integer prompt;
  private @Nullable Integer completion;
  private @Nullable Integer total;
  private @Nullable Integer cached;
  private @Nullable Integer reasoning;
  private boolean broken;

  private UsageDecoder() {}

  /** Null for anything but an object of counts that go together. */
  static @Nullable Usage read(JsonParser parser, JsonToken value) throws IOException {
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return null;
    }
    UsageDecoder usage = new UsageDecoder();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      usage.readField(parser, name, parser.nextToken());
    }
    return usage.toUsage();
  }

  private void readField(JsonParser parser, String name, JsonToken value) throws IOException {
    switch (name) {
      case "prompt_tokens" -> prompt = count(parser, value);
      case "completion_tokens" -> completion = count(parser, value);
      case "total_tokens" -> total = count(parser, value);
      case "prompt_tokens_details" -> cached = detail(parser, value, "cached_tokens");
      case "completion_tokens_details" -> reasoning = detail(parser, value, "reasoning_tokens");
      default -> parser.skipChildren();
    }
  }

  private @Nullable Integer detail(JsonParser parser, JsonToken value, String wanted)
      throws IOException {
    Integer found = null;
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return found;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken number = parser.nextToken();
      if (name.equals(wanted)) {
        found = count(parser, number);
      } else {
        parser.skipChildren();
      }
    }
    return found;
  }

  /** Null for null, and for what is no count. */
  private @Nullable Integer count(JsonParser parser, JsonToken value) throws IOException {
    if (value == JsonToken.VALUE_NULL) {
      return null;
    }
    if (value.isNumeric()) {
      double number = parser.getDoubleValue();
      if (number >= 0 && number <= Integer.MAX_VALUE && number == Math.rint(number)) {
        return (int) number;
      }
    }
    broken = true;
    parser.skipChildren();
    return null;
  }

  private @Nullable Usage toUsage() {
    if (broken || prompt == null || completion == null) {
      return null;
    }
    long sum = total == null ? (long) prompt + completion : total;
    return sum < completion || sum > Integer.MAX_VALUE
        ? null
        : new Usage(prompt, completion, (int) sum, cached, reasoning, true);
  }
}
