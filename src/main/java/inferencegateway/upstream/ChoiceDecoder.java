package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads one entry of {@code choices}. Its index may come last, so all is kept until its end. */
final class ChoiceDecoder {

  /** In chars; known reasons are words. */
  private static final int MAX_FINISH_REASON = 64;

  /** In chars. */
  private static final int MAX_STOP_TEXT = 256;

  private int index;
  private String content = "";
  private boolean isContentOdd;
  private String reasoning = "";
  private String reasoningContent = "";
  private String finishReason = "";
  private @Nullable String stopText;
  private @Nullable Integer stopTokenId;

  /** From the opening brace to the closing one. */
  void read(JsonParser parser, Chunk into) throws IOException {
    clear();
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      readField(parser, name, parser.nextToken());
    }
    if (index == 0) {
      addTo(into);
    }
  }

  private void readField(JsonParser parser, String name, JsonToken value) throws IOException {
    switch (name) {
      case "index" -> index = JsonNumbers.orZero(parser, value);
      case "delta", "message" -> readDelta(parser, value);
      case "finish_reason" ->
          finishReason = WireText.cut(ChunkDecoder.text(parser, value), MAX_FINISH_REASON);
      case "stop_reason" -> readStopReason(parser, value);
      default -> parser.skipChildren();
    }
  }

  private void readDelta(JsonParser parser, JsonToken value) throws IOException {
    clearDelta();
    if (value != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken part = parser.nextToken();
      switch (name) {
        case "content" -> {
          isContentOdd = part != JsonToken.VALUE_STRING && part != JsonToken.VALUE_NULL;
          content = ChunkDecoder.text(parser, part);
        }
        case "reasoning" -> reasoning = ChunkDecoder.text(parser, part);
        case "reasoning_content" -> reasoningContent = ChunkDecoder.text(parser, part);
        default -> parser.skipChildren();
      }
    }
  }

  /** vLLM: the stop string, or the id of the stop token, or null. */
  private void readStopReason(JsonParser parser, JsonToken value) throws IOException {
    stopText =
        value == JsonToken.VALUE_STRING ? WireText.cut(parser.getText(), MAX_STOP_TEXT) : null;
    stopTokenId = value == JsonToken.VALUE_NUMBER_INT ? JsonNumbers.orZero(parser, value) : null;
    parser.skipChildren();
  }

  private void addTo(Chunk chunk) {
    chunk.hasOddContent |= isContentOdd;
    chunk.text = chunk.text.concat(content);
    chunk.reasoning = chunk.reasoning.concat(reasoning.isEmpty() ? reasoningContent : reasoning);
    if (!finishReason.isEmpty()) {
      chunk.finishReason = finishReason;
      chunk.stopText = stopText;
      chunk.stopTokenId = stopTokenId;
    }
  }

  private void clear() {
    index = 0;
    finishReason = "";
    stopText = null;
    stopTokenId = null;
    clearDelta();
  }

  private void clearDelta() {
    content = "";
    isContentOdd = false;
    reasoning = "";
    reasoningContent = "";
  }
}
