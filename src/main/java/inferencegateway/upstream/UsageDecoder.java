package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import inferencegateway.chat.Usage;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads OpenAI's {@code usage} object. */
final class UsageDecoder {

  private int prompt;
  private int completion;
  private int total;
  private @Nullable Integer cached;
  private @Nullable Integer reasoning;

  private UsageDecoder() {}

  /** Null for anything but an object. */
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

  private static @Nullable Integer detail(JsonParser parser, JsonToken value, String wanted)
      throws IOException {
    Integer found = null;
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return found;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken number = parser.nextToken();
      if (name.equals(wanted)) {
        found = number.isNumeric() ? count(parser, number) : null;
      }
      parser.skipChildren();
    }
    return found;
  }

  private static int count(JsonParser parser, JsonToken value) throws IOException {
    return Math.max(0, JsonNumbers.orZero(parser, value));
  }

  private Usage toUsage() {
    int sum = total > 0 ? total : (int) Math.min(Integer.MAX_VALUE, (long) prompt + completion);
    return new Usage(prompt, completion, sum, cached, reasoning, true);
  }
}
