package inferencegateway.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Keys and values of a structured file that are read one by one; what is left over is unknown. A
 * fault is noted and the fallback taken in its place, so that the others are found too.
 */
final class Section {

  private final String path;
  private final Node.Fields fields;
  private final Complaints complaints;
  private final Set<String> known = new HashSet<>();

  /**
   * @param path of it within the file; empty: it is the whole file
   */
  Section(String path, Node.Fields fields, Complaints complaints) {
    this.path = path;
    this.fields = fields;
    this.complaints = complaints;
  }

  /** Where a key of it is, for messages. */
  String at(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  int line() {
    return fields.line();
  }

  /**
   * One value.
   *
   * @param parse throws {@link IllegalArgumentException} with words that go on after the key
   */
  <T> Optional<T> one(String key, Function<String, T> parse) {
    return find(key).flatMap(node -> parsed(at(key), node, parse));
  }

  <T> T one(String key, T fallback, Function<String, T> parse) {
    return one(key, parse).orElse(fallback);
  }

  /** A value that must be there. */
  <T> Optional<T> required(String key, Function<String, T> parse) {
    if (find(key).isEmpty()) {
      complaints.add(path, "must have " + key, line());
    }
    return one(key, parse);
  }

  /** A list of values; empty when the key is not there. */
  <T> List<T> many(String key, Function<String, T> parse) {
    List<T> all = new ArrayList<>();
    List<Node> items = items(key);
    for (int i = 0; i < items.size(); i++) {
      parsed(at(key) + "[" + i + "]", items.get(i), parse).ifPresent(all::add);
    }
    return all;
  }

  /** A list of sections; empty when the key is not there. */
  List<Section> sections(String key) {
    List<Section> all = new ArrayList<>();
    List<Node> items = items(key);
    for (int i = 0; i < items.size(); i++) {
      section(at(key) + "[" + i + "]", items.get(i)).ifPresent(all::add);
    }
    return all;
  }

  /** Whether there is a list with anything in it, right or wrong. */
  boolean hasItems(String key) {
    return find(key)
        .filter(node -> !(node instanceof Node.Many m) || !m.items().isEmpty())
        .isPresent();
  }

  /** A section below a key. */
  Optional<Section> section(String key) {
    return find(key).flatMap(node -> section(at(key), node));
  }

  /** The keys that are there, for maps whose keys are names. */
  List<String> keys() {
    return List.copyOf(fields.byKey().keySet());
  }

  /** Notes a fault of one key. */
  void wrong(String key, String fault) {
    complaints.add(at(key), fault, find(key).map(Node::line).orElse(line()));
  }

  /** Complains of every key that was not asked for. */
  void noMore() {
    fields
        .byKey()
        .forEach(
            (key, node) -> {
              if (!known.contains(key)) {
                complaints.add(
                    at(key), "is not known here" + Nearest.hint(key, known), node.line());
              }
            });
  }

  private Optional<Node> find(String key) {
    known.add(key);
    return Optional.ofNullable(fields.byKey().get(key));
  }

  private List<Node> items(String key) {
    Optional<Node> node = find(key);
    if (node.isPresent() && node.get() instanceof Node.Many many) {
      return many.items();
    }
    node.ifPresent(
        other -> complaints.add(at(key), "must be a list, not " + other.kind(), other.line()));
    return List.of();
  }

  private Optional<Section> section(String where, Node node) {
    if (node instanceof Node.Fields inner) {
      return Optional.of(new Section(where, inner, complaints));
    }
    complaints.add(where, "must be keys and values, not " + node.kind(), node.line());
    return Optional.empty();
  }

  private <T> Optional<T> parsed(String where, Node node, Function<String, T> parse) {
    if (!(node instanceof Node.Text text)) {
      complaints.add(where, "must be one value, not " + node.kind(), node.line());
      return Optional.empty();
    }
    try {
      return Optional.of(parse.apply(text.text()));
    } catch (IllegalArgumentException e) {
      complaints.add(where, String.valueOf(e.getMessage()), node.line());
      return Optional.empty();
    }
  }
}
