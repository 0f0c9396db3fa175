package inferencegateway.upstream;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * Reads streamed chunks and whole completions, which differ in one name ({@code delta}, {@code
 * message}). No tree is built and nothing is allocated per chunk but its text.
 *
 * <p>Unknown names and odd types are skipped, never an error (content that is no text is noted, so
 * that its loss is not taken for an answer); of a name that comes twice the last counts. Choices
 * other than the first are not looked at.
 */
final class ChunkDecoder {

  /** Of the id and the model's name, which go into every log line and metadata; in chars. */
  private static final int MAX_IDENTITY = 256;

  private final Chunk chunk = new Chunk();
  private final ChoiceDecoder choice = new ChoiceDecoder();
  private boolean identified;

  /**
   * @return valid until the next call
   * @throws IOException for what is no JSON object, or beyond the limits of {@link WireJson}
   */
  Chunk decode(byte[] bytes, int offset, int length) throws IOException {
    chunk.clear();
    try (JsonParser parser = open(bytes, offset, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new JsonParseException(parser, "not an object");
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        readField(parser, name, parser.nextToken());
      }
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "more than one object");
      }
    }
    identified = identified || !(chunk.id.isEmpty() || chunk.model.isEmpty());
    return chunk;
  }

  /** The parser for bytes trusts multi-byte sequences; only ASCII may go to it unseen. */
  private static JsonParser open(byte[] bytes, int offset, int length) throws IOException {
    return WireText.isAscii(bytes, offset, length)
        ? WireJson.FACTORY.createParser(bytes, offset, length)
        : WireJson.FACTORY.createParser(WireText.decode(bytes, offset, length));
  }

  private void readField(JsonParser parser, String name, JsonToken value) throws IOException {
    switch (name) {
      case "choices" -> readChoices(parser, value);
      case "usage" -> chunk.usage = UsageDecoder.read(parser, value);
      case "id" -> chunk.id = identity(parser, value);
      case "model" -> chunk.model = identity(parser, value);
      case "object" -> chunk.isErrorObject = isString(parser, value, "error");
      case "error" -> {
        chunk.hasError = value != JsonToken.VALUE_NULL;
        parser.skipChildren();
      }
      case "message", "detail" -> {
        chunk.hasMessage |= value != JsonToken.VALUE_NULL;
        parser.skipChildren();
      }
      default -> parser.skipChildren();
    }
  }

  /** Every chunk repeats them; they are read until both are known. */
  private String identity(JsonParser parser, JsonToken value) throws IOException {
    return identified ? "" : WireText.cut(text(parser, value), MAX_IDENTITY);
  }

  private void readChoices(JsonParser parser, JsonToken value) throws IOException {
    chunk.clearChoice();
    chunk.hasChoices = value == JsonToken.START_ARRAY;
    if (!chunk.hasChoices) {
      parser.skipChildren();
      return;
    }
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() == JsonToken.START_OBJECT) {
        choice.read(parser, chunk);
      } else {
        parser.skipChildren();
      }
    }
  }

  /** Empty for anything but a string, which is then skipped. */
  static String text(JsonParser parser, JsonToken value) throws IOException {
    if (value == JsonToken.VALUE_STRING) {
      return parser.getText();
    }
    parser.skipChildren();
    return "";
  }

  private static boolean isString(JsonParser parser, JsonToken value, String word)
      throws IOException {
    if (value != JsonToken.VALUE_STRING) {
      parser.skipChildren();
      return false;
    }
    return parser.getTextLength() == word.length() && parser.getText().equals(word);
  }
}
