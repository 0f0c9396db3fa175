package inferencegateway.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A structured YAML file, as a tree that knows its lines. Aliases, which could blow a small file
 * up, and keys that come twice are refused.
 */
final class YamlTree {

  private static final int MOST_BYTES = 2 * 1024 * 1024;
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private final Complaints complaints;
  private final YAMLParser parser;

  private YamlTree(Complaints complaints, YAMLParser parser) {
    this.complaints = complaints;
    this.parser = parser;
  }

  /** Reads a whole file; empty when it cannot be, which is then among the complaints. */
  static Optional<Node.Fields> read(Path file, Complaints complaints) {
    try {
      byte[] bytes = FileText.read(file, MOST_BYTES).getBytes(StandardCharsets.ISO_8859_1);
      String text = new String(bytes, StandardCharsets.UTF_8);
      return parse(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text, complaints);
    } catch (IllegalArgumentException e) {
      complaints.unreadable(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private static Optional<Node.Fields> parse(String text, Complaints complaints) {
    try (YAMLParser parser = new YAMLFactory().createParser(new StringReader(text))) {
      return new YamlTree(complaints, parser).document();
    } catch (JacksonException e) {
      JsonLocation at = e.getLocation();
      String first = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
      complaints.add("", "is not valid YAML (" + first + ")", at == null ? 1 : at.getLineNr());
    } catch (IOException e) {
      throw new IllegalStateException("a string cannot fail to be read", e);
    }
    return Optional.empty();
  }

  private Optional<Node.Fields> document() throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      complaints.add("", "must hold keys and values", 1);
      return Optional.empty();
    }
    Node.Fields all = fields("");
    if (parser.nextToken() != null) {
      complaints.add("", "must hold one document only", line());
    }
    return Optional.of(all);
  }

  /** From behind a map's start to its end. */
  private Node.Fields fields(String path) throws IOException {
    int line = line();
    Map<String, Node> byKey = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      String inner = path.isEmpty() ? key : path + "." + key;
      int keyLine = line();
      parser.nextToken();
      Node value = node(inner);
      if (value != null && byKey.putIfAbsent(key, value) != null) {
        complaints.add(inner, "must be set once", keyLine);
      }
    }
    return new Node.Fields(byKey, line);
  }

  private Node.Many many(String path) throws IOException {
    int line = line();
    List<Node> items = new ArrayList<>();
    for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      Node item = node(path + "[" + i + "]");
      if (item != null) {
        items.add(item);
      }
    }
    return new Node.Many(items, line);
  }

  /** Null where there is none: then it is among the complaints. */
  private @Nullable Node node(String path) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> fields(path);
      case START_ARRAY -> many(path);
      case VALUE_NULL -> {
        complaints.add(path, "has no value", line());
        yield null;
      }
      default -> {
        if (parser.isCurrentAlias()) {
          complaints.add(path, "must be written out; aliases are not read", line());
          yield null;
        }
        yield new Node.Text(parser.getText(), line());
      }
    };
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }
}
