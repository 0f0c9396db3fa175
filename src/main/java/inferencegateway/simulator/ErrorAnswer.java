package inferencegateway.simulator;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is an HTTP error, with the body vLLM or a proxy in front of it sends.
 *
 * @param headers whole header lines
 */
record ErrorAnswer(int status, String contentType, String body, List<String> headers) {

  private static final String JSON = "application/json";

  /** vLLM's shape: {@code code} is the HTTP status as a number. */
  static ErrorAnswer of(int status, String type, String message, @Nullable String param) {
    return new ErrorAnswer(
        status, JSON, body(Integer.toString(status), type, message, param), List.of());
  }

  static ErrorAnswer badRequest(String message, @Nullable String param) {
    return of(400, "BadRequestError", message, param);
  }

  static ErrorAnswer unknownModel(String model) {
    return of(404, "NotFoundError", "The model `" + model + "` does not exist.", "model");
  }

  static ErrorAnswer unauthorized() {
    return new ErrorAnswer(401, JSON, "{\"error\":\"Unauthorized\"}", List.of());
  }

  /** FastAPI's own words for a wrong path (404) or method (405). */
  static ErrorAnswer detail(int status) {
    String words = Http1.reason(status);
    return new ErrorAnswer(status, JSON, "{\"detail\":\"" + words + "\"}", List.of());
  }

  static ErrorAnswer queueFull(int limit) {
    return of(
        503,
        "QueueOverflowError",
        "The request queue is full: " + limit + " requests are waiting.",
        null);
  }

  static ErrorAnswer contextOverflow(int maxModelLen, int promptTokens) {
    return badRequest(
        "This model's maximum context length is %d tokens. However, your request has %d input tokens. Please reduce the length of the input messages."
            .formatted(maxModelLen, promptTokens),
        "input_tokens");
  }

  static boolean isKnown(String code) {
    return switch (code) {
      case "404-route", "500-empty", "503-starting", "503-queue" -> true;
      default -> code.matches("[2-5]\\d\\d");
    };
  }

  /** What {@code status=CODE} asks for. */
  static ErrorAnswer requested(String code, FaultSpec spec) {
    ErrorAnswer plain = named(code);
    List<String> headers = new ArrayList<>(plain.headers);
    if (spec.has(Fault.RETRY_AFTER)) {
      headers.add("retry-after: " + spec.text(Fault.RETRY_AFTER));
    }
    if (plain.status >= 300 && plain.status < 400) {
      headers.add("location: " + spec.text(Fault.LOCATION, "http://127.0.0.1:9/elsewhere"));
    }
    boolean reworded = spec.has(Fault.ERROR_MESSAGE) || spec.has(Fault.ERROR_TYPE);
    String body = reworded ? reworded(plain.status, spec) : plain.body;
    return new ErrorAnswer(plain.status, reworded ? JSON : plain.contentType, body, headers);
  }

  private static String reworded(int status, FaultSpec spec) {
    return body(
        Integer.toString(status),
        spec.text(Fault.ERROR_TYPE, Http1.reason(status).replace(" ", "") + "Error"),
        spec.text(Fault.ERROR_MESSAGE, Http1.reason(status)),
        null);
  }

  private static ErrorAnswer named(String code) {
    return switch (code) {
      case "400" -> badRequest("The request is not one this model can serve.", null);
      case "401" -> unauthorized();
      case "404" -> unknownModel("simulated-unknown-model");
      case "404-route" -> detail(404);
      case "405" -> detail(405);
      case "422" ->
          of(422, "UnprocessableEntityError", "The request could not be processed.", null);
      case "429" -> of(429, "RateLimitError", "Too many requests.", null);
      case "500" ->
          of(
              500,
              "InternalServerError",
              "EngineCore encountered an issue. See stack trace (above) for the root cause.",
              null);
      case "500-empty" -> new ErrorAnswer(500, "text/plain; charset=utf-8", "", List.of());
      case "501" -> of(501, "NotImplementedError", "The model does not support this task.", null);
      case "503-queue" -> queueFull(1);
      case "503-starting" ->
          of(503, "ServiceUnavailableError", "The model is still loading.", null);
      default -> byNumber(Integer.parseInt(code));
    };
  }

  private static ErrorAnswer byNumber(int status) {
    if (status == 413 || status == 502 || status == 504 || status / 100 == 3) {
      return new ErrorAnswer(status, "text/html", page(status), List.of());
    }
    return of(status, Http1.reason(status).replace(" ", "") + "Error", Http1.reason(status), null);
  }

  /** A proxy's page. */
  static String page(int status) {
    String title = status + " " + Http1.reason(status);
    return "<html>\r\n<head><title>"
        + title
        + "</title></head>\r\n<body>\r\n<center><h1>"
        + title
        + "</h1></center>\r\n<hr><center>proxy</center>\r\n</body>\r\n</html>\r\n";
  }

  /**
   * The error object alone, also the data of an error event.
   *
   * @param code a number goes out as one, anything else as a string
   */
  static String body(String code, String type, String message, @Nullable String param) {
    String shown = code.matches("-?\\d{1,9}") ? code : Json.quote(code);
    return "{\"error\":{\"message\":"
        + Json.quote(message)
        + ",\"type\":"
        + Json.quote(type)
        + ",\"param\":"
        + (param == null ? "null" : Json.quote(param))
        + ",\"code\":"
        + shown
        + "}}";
  }
}
