package inferencegateway.chat;

/** Why a model stopped writing. */
public enum FinishReason {
  STOP,
  LENGTH,
  TOOL_CALLS,
  CONTENT_FILTER,
  /** Ours: a time limit passed and the caller asked for what there is. */
  TIME_LIMIT,
  /** A word that is not known here; {@link Finish#raw} has it. */
  UNKNOWN;

  /** From OpenAI's {@code finish_reason}; never empty there, see {@link Finish}. */
  public static FinishReason of(String word) {
    return switch (word) {
      case "stop" -> STOP;
      case "length" -> LENGTH;
      case "tool_calls", "function_call" -> TOOL_CALLS;
      case "content_filter" -> CONTENT_FILTER;
      default -> UNKNOWN;
    };
  }
}
