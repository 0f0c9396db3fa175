package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/**
 * An error as a backend put it; nothing cleaned yet. Empty where it said nothing.
 *
 * @param code as text, whatever it was
 */
record ErrorReply(String message, String type, String param, String code) {

  private static final ErrorReply NOTHING = new ErrorReply("", "", "", "");

  /**
   * Takes every shape seen: OpenAI's object under {@code error}, a string there (vLLM's 401), the
   * object at the top (older vLLM), FastAPI's {@code detail}, plain text, broken JSON, nothing.
   */
  static ErrorReply parse(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, length, UTF_8);
    try {
      JsonNode root = WireJson.MAPPER.readTree(text);
      return root == null || root.isMissingNode() ? NOTHING : ofJson(root);
    } catch (JsonProcessingException e) {
      return looksLikeMarkup(text) ? NOTHING : new ErrorReply(text, "", "", "");
    }
  }

  private static ErrorReply ofJson(JsonNode root) {
    JsonNode error = root.path("error");
    if (error.isObject()) {
      return ofObject(error);
    }
    if (error.isTextual()) {
      return new ErrorReply(error.asText(), text(root, "type"), "", text(root, "code"));
    }
    return root.isObject() ? ofObject(root) : new ErrorReply(root.asText(), "", "", "");
  }

  private static ErrorReply ofObject(JsonNode error) {
    String message = text(error, "message");
    return new ErrorReply(
        message.isEmpty() ? detail(error.path("detail")) : message,
        text(error, "type"),
        text(error, "param"),
        text(error, "code"));
  }

  /** FastAPI: a string, or a list of problems with their {@code msg}. */
  private static String detail(JsonNode detail) {
    return detail.isArray() ? text(detail.path(0), "msg") : scalar(detail);
  }

  private static String text(JsonNode object, String name) {
    return scalar(object.path(name));
  }

  private static String scalar(JsonNode value) {
    return value.isNull() ? "" : value.asText("");
  }

  private static boolean looksLikeMarkup(String text) {
    return text.stripLeading().startsWith("<");
  }

  ErrorReply withMessage(String other) {
    return new ErrorReply(other, type, param, code);
  }

  /** The HTTP status that an error inside a 200 stands for; 500 where it does not say. */
  int status() {
    int number = number(code);
    return number >= 400 && number <= 599 ? number : statusOfWords();
  }

  /** vLLM's words to every stream of an engine that is gone, while its server still speaks. */
  boolean saysEngineDied() {
    return message.startsWith("EngineCore encountered an issue") || type.equals("EngineDeadError");
  }

  private int statusOfWords() {
    return switch ((code.isEmpty() || number(code) >= 0 ? type : code).toLowerCase(Locale.ROOT)) {
      case "context_length_exceeded", "badrequesterror", "bad request", "invalid_request_error" ->
          400;
      case "invalid_api_key", "authentication_error" -> 401;
      case "model_not_found", "notfounderror" -> 404;
      case "rate_limit_exceeded", "rate_limit_error", "insufficient_quota" -> 429;
      case "notimplementederror" -> 501;
      case "queueoverflowerror", "service unavailable", "overloaded_error" -> 503;
      default -> 500;
    };
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
