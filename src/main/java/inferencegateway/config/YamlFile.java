package inferencegateway.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one YAML file. Maps may be nested or their keys dotted; each key may come once.
 *
 * <p>Read as a stream of tokens: line numbers are at hand, and aliases, which could blow a small
 * file up, are refused instead of followed.
 */
final class YamlFile {

  private static final int MOST_BYTES = 1024 * 1024;
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private final Map<String, Value> values = new LinkedHashMap<>();
  private final String file;
  private final Problems problems;
  private final YAMLParser parser;

  private YamlFile(String file, Problems problems, YAMLParser parser) {
    this.file = file;
    this.problems = problems;
    this.parser = parser;
  }

  static Map<String, Value> read(Value name, Problems problems) {
    try {
      String bytes = FileText.read(Path.of(name.text()), MOST_BYTES);
      String text = new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
      return parse(
          name.text(), text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text, problems);
    } catch (InvalidPathException e) {
      problems.add(problem(name, "must be the path of a file"));
    } catch (IllegalArgumentException e) {
      problems.add(problem(name, String.valueOf(e.getMessage())));
    }
    return Map.of();
  }

  private static Problem problem(Value name, String fault) {
    return new Problem(Settings.CONFIG, fault, name.text(), name.source());
  }

  private static Map<String, Value> parse(String file, String text, Problems problems) {
    try (YAMLParser parser = new YAMLFactory().createParser(new StringReader(text))) {
      YamlFile yaml = new YamlFile(file, problems, parser);
      yaml.document();
      return yaml.values;
    } catch (JacksonException e) {
      problems.add(syntax(file, e));
    } catch (IOException e) {
      throw new IllegalStateException("a string cannot fail to be read", e);
    }
    return Map.of();
  }

  private static Problem syntax(String file, JacksonException e) {
    JsonLocation location = e.getLocation();
    String first = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
    return new Problem(
        Settings.CONFIG,
        "is not valid YAML ("
            + first
            + "); texts with brackets need quotes, as in listen: \"[::]:50051\"",
        null,
        Source.line(file, location == null ? 1 : location.getLineNr()));
  }

  private void document() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null || first == JsonToken.VALUE_NULL) {
      return;
    }
    if (first != JsonToken.START_OBJECT) {
      wrong(Settings.CONFIG, "must hold keys and values, as in listen: \"[::]:50051\"");
      return;
    }
    map("");
    if (parser.nextToken() != null) {
      wrong(Settings.CONFIG, "must hold one document only");
    }
  }

  /** From behind a map's start to its end. */
  private void map(String prefix) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = prefix + parser.currentName();
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) {
        map(key + ".");
      } else if (token == JsonToken.START_ARRAY) {
        parser.skipChildren();
        wrong(key, "must be one value, not a list; texts with brackets need quotes");
      } else {
        scalar(key, token);
      }
    }
  }

  private void scalar(String key, JsonToken token) throws IOException {
    @Nullable String fault = faultOf(key, token);
    if (fault != null) {
      wrong(key, fault);
    } else {
      values.put(key, new Value(parser.getText(), here()));
    }
  }

  private @Nullable String faultOf(String key, JsonToken token) throws IOException {
    if (Settings.find(key).isEmpty()) {
      return unknown(key);
    }
    if (parser.isCurrentAlias()) {
      return "must be written out; aliases are not read";
    }
    if (token == JsonToken.VALUE_NULL) {
      return "has no value; leave the line out for the default";
    }
    Value earlier = values.get(key);
    return earlier == null ? null : "must be set once, but is already in " + earlier.source();
  }

  private static String unknown(String key) {
    List<String> within =
        Settings.keys().stream().filter(known -> known.startsWith(key + ".")).toList();
    return within.isEmpty()
        ? "is no setting" + Nearest.hint(key, Settings.keys())
        : "is no setting itself; there are " + String.join(", ", within);
  }

  private void wrong(String key, String fault) {
    problems.add(new Problem(key, fault, null, here()));
  }

  private Source here() {
    return Source.line(file, parser.currentTokenLocation().getLineNr());
  }
}
