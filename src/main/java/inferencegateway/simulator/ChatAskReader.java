package inferencegateway.simulator;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads and checks a chat request body; its complaints are worded as vLLM words them. */
final class ChatAskReader {

  /** Jackson's own limit on a string is below what a body may have; that one is checked before. */
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
              .build());

  private final SimulatorConfig config;

  ChatAskReader(SimulatorConfig config) {
    this.config = config;
  }

  ChatAsk read(byte[] body) throws Rejected {
    JsonNode root = parse(body);
    String model = model(root);
    String prompt = prompt(root);
    String beginning = beginning(root);
    checkSampling(root);
    float temperature = (float) number(root, "temperature", 0, 1);
    JsonNode options = root.path("stream_options");
    ChatAsk ask =
        new ChatAsk(
            model,
            prompt,
            beginning,
            countTokens(prompt) + countTokens(beginning) + 4 * root.get("messages").size(),
            root.path("stream").asBoolean(),
            options.path("include_usage").asBoolean(),
            options.path("continuous_usage_stats").asBoolean(),
            maxTokens(root),
            root.path("min_tokens").asInt(),
            root.path("ignore_eos").asBoolean(),
            stop(root),
            seed(root, prompt, temperature));
    checkContext(ask);
    return ask;
  }

  private static JsonNode parse(byte[] body) throws Rejected {
    try {
      JsonNode root = JSON.readTree(body);
      if (root.isObject()) {
        return root;
      }
      throw invalid("model_attributes_type", "Input should be a valid dictionary", "");
    } catch (IOException notJson) {
      throw invalid("json_invalid", "JSON decode error", "");
    }
  }

  private String model(JsonNode root) throws Rejected {
    String asked = root.path("model").asText("");
    if (asked.isEmpty()) {
      return config.models().get(0);
    }
    if (!config.models().contains(asked)) {
      throw new Rejected(ErrorAnswer.unknownModel(asked));
    }
    return asked;
  }

  private static String prompt(JsonNode root) throws Rejected {
    JsonNode messages = root.path("messages");
    if (messages.isMissingNode()) {
      throw invalid("missing", "Field required", "messages");
    }
    if (!messages.isArray()) {
      throw invalid("list_type", "Input should be a valid list", "messages");
    }
    if (messages.isEmpty()) {
      throw new Rejected(ErrorAnswer.badRequest("messages must not be empty", "messages"));
    }
    StringBuilder all = new StringBuilder();
    int prompting = messages.size() - (continues(root) ? 1 : 0);
    for (int i = 0; i < messages.size(); i++) {
      if (!messages.get(i).path("role").isTextual()) {
        throw invalid("missing", "Field required", "messages.role");
      }
      if (i < prompting) {
        append(all, messages.get(i).path("content"));
      }
    }
    return all.toString();
  }

  /** Whether the last message is the beginning of the answer. */
  private static boolean continues(JsonNode root) {
    return root.path("continue_final_message").asBoolean();
  }

  /** As vLLM: only when both are said is it a contradiction. */
  private static String beginning(JsonNode root) throws Rejected {
    if (!continues(root)) {
      return "";
    }
    if (root.path("add_generation_prompt").asBoolean()) {
      String message =
          "Cannot set both `continue_final_message` and `add_generation_prompt` to True.";
      throw new Rejected(ErrorAnswer.badRequest(message, "continue_final_message"));
    }
    JsonNode messages = root.path("messages");
    return messages.get(messages.size() - 1).path("content").asText("");
  }

  private static void append(StringBuilder all, JsonNode content) {
    if (content.isArray()) {
      content.forEach(part -> all.append(part.path("text").asText("")).append('\n'));
    } else {
      all.append(content.asText("")).append('\n');
    }
  }

  private static OptionalInt maxTokens(JsonNode root) throws Rejected {
    // The newer name wins when both are there.
    String name = root.hasNonNull("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    if (!root.hasNonNull(name)) {
      return OptionalInt.empty();
    }
    if (!root.get(name).canConvertToInt()) {
      throw invalid("int_parsing", "Input should be a valid integer", name);
    }
    return OptionalInt.of((int) number(root, name, 1, 1));
  }

  private static double number(JsonNode root, String name, double least, double otherwise)
      throws Rejected {
    JsonNode value = root.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return otherwise;
    }
    if (!value.isNumber()) {
      throw invalid("number_type", "Input should be a valid number", name);
    }
    if (value.asDouble() < least) {
      String bound = least == 0 ? "non-negative" : "at least " + (int) least;
      String message = name + " must be " + bound + ", got " + value.asText() + ".";
      throw new Rejected(ErrorAnswer.badRequest(message, name));
    }
    return value.asDouble();
  }

  private static void checkSampling(JsonNode root) throws Rejected {
    double topP = number(root, "top_p", 0, 1);
    if (topP == 0 || topP > 1) {
      String message = "top_p must be in (0, 1], got " + topP + ".";
      throw new Rejected(ErrorAnswer.badRequest(message, "top_p"));
    }
    int least = (int) number(root, "min_tokens", 0, 0);
    OptionalInt most = maxTokens(root);
    if (most.isPresent() && least > most.getAsInt()) {
      String message =
          "min_tokens must be less than or equal to max_tokens=%d, got %d."
              .formatted(most.getAsInt(), least);
      throw new Rejected(ErrorAnswer.badRequest(message, "min_tokens"));
    }
    if (!root.path("stream_options").isEmpty() && !root.path("stream").asBoolean()) {
      String message = "Stream options can only be defined when `stream=True`.";
      throw new Rejected(ErrorAnswer.badRequest(message, "stream_options"));
    }
  }

  private static List<String> stop(JsonNode root) {
    JsonNode stop = root.path("stop");
    List<String> words = new ArrayList<>();
    if (stop.isTextual()) {
      words.add(stop.asText());
    }
    stop.forEach(word -> words.add(word.asText()));
    words.removeIf(String::isEmpty);
    return List.copyOf(words);
  }

  private static OptionalLong seed(JsonNode root, String prompt, float temperature)
      throws Rejected {
    JsonNode seed = root.path("seed");
    if (seed.isMissingNode() || seed.isNull()) {
      return temperature == 0 ? OptionalLong.of(prompt.hashCode()) : OptionalLong.empty();
    }
    if (!seed.canConvertToLong() || !seed.isIntegralNumber()) {
      throw invalid("int_type", "Input should be a valid integer", "seed");
    }
    return OptionalLong.of(seed.asLong());
  }

  private void checkContext(ChatAsk ask) throws Rejected {
    int limit = config.maxModelLen();
    if (ask.promptTokens() >= limit) {
      throw new Rejected(ErrorAnswer.contextOverflow(limit, ask.promptTokens()));
    }
    int asked = ask.maxTokens().orElse(1);
    if (asked > limit - ask.promptTokens()) {
      String message =
          "'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context length is %d tokens and your request has %d input tokens (%d > %d - %d)."
              .formatted(asked, limit, ask.promptTokens(), asked, limit, ask.promptTokens());
      throw new Rejected(ErrorAnswer.badRequest(message, "max_tokens"));
    }
  }

  /** Four characters a token, but one for each Chinese one. */
  static int countTokens(String text) {
    int han = (int) text.codePoints().filter(Prose::isHan).count();
    return han + (text.length() - han + 3) / 4;
  }

  private static Rejected invalid(String type, String words, String field) {
    String where = field.isEmpty() ? "('body',)" : "('body', '" + field.replace(".", "', '") + "')";
    String message =
        "1 validation error:\n  {'type': '"
            + type
            + "', 'loc': "
            + where
            + ", 'msg': '"
            + words
            + "'}";
    return new Rejected(
        ErrorAnswer.of(400, "Bad Request", message, field.isEmpty() ? null : field));
  }
}
