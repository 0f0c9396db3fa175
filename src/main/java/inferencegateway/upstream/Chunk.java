package inferencegateway.upstream;

import inferencegateway.chat.Finish;
import inferencegateway.chat.FinishReason;
import inferencegateway.chat.Usage;
import org.jspecify.annotations.Nullable;

/**
 * What one JSON object of an answer said: a streamed chunk or a whole completion. One instance is
 * filled again and again. Empty or null where it said nothing.
 */
final class Chunk {
  String id = "";
  String model = "";
  String text = "";
  String reasoning = "";
  String finishReason = "";
  @Nullable String stopText;
  @Nullable Integer stopTokenId;
  @Nullable Usage usage;

  /** Its {@code content} is there and no string: text that would be lost. */
  boolean hasOddContent;

  /** It has {@code choices}, whatever is in them. */
  boolean hasChoices;

  /** It has {@code error}, and not as null. */
  boolean hasError;

  /** It says by {@code object} that it is one, as older vLLM does. */
  boolean isErrorObject;

  /** It has {@code message} or {@code detail} at its top, as bare error objects do. */
  boolean hasMessage;

  boolean isError() {
    return hasError || isErrorObject || (hasMessage && !hasChoices);
  }

  /** Only where {@link #finishReason} is not empty. */
  Finish finish() {
    return new Finish(FinishReason.of(finishReason), finishReason, stopText, stopTokenId);
  }

  void clear() {
    id = "";
    model = "";
    usage = null;
    hasChoices = false;
    hasError = false;
    isErrorObject = false;
    hasMessage = false;
    clearChoice();
  }

  void clearChoice() {
    text = "";
    hasOddContent = false;
    reasoning = "";
    finishReason = "";
    stopText = null;
    stopTokenId = null;
  }
}
