package inferencegateway.chat;

/**
 * What the backend said of its own error; empty strings where it said nothing. Cleaned and
 * shortened: no keys, no prompts.
 *
 * @param type OpenAI's {@code error.type}, as "BadRequestError"
 * @param param OpenAI's {@code error.param}
 * @param code OpenAI's {@code error.code}; vLLM repeats the HTTP status here
 */
public record UpstreamError(String type, String param, String code) {

  public static final UpstreamError NONE = new UpstreamError("", "", "");
}
