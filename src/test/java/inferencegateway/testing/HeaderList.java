package inferencegateway.testing;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Header fields in the order received, pseudo headers included. Names are lower case. */
public record HeaderList(List<Map.Entry<String, String>> fields) {

  public HeaderList {
    fields = List.copyOf(fields);
  }

  /** The first value, or null. */
  public @Nullable String get(String name) {
    return fields.stream()
        .filter(field -> field.getKey().equals(name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  public List<String> all(String name) {
    return fields.stream()
        .filter(field -> field.getKey().equals(name))
        .map(Map.Entry::getValue)
        .toList();
  }
}
