package inferencegateway.config;

import java.util.List;
import java.util.Map;

/** A piece of a structured file, and the line that it begins on. */
sealed interface Node {

  int line();

  /** What it is, for people. */
  String kind();

  record Text(String text, int line) implements Node {
    @Override
    public String kind() {
      return "one value";
    }
  }

  record Many(List<Node> items, int line) implements Node {
    @Override
    public String kind() {
      return "a list";
    }
  }

  record Fields(Map<String, Node> byKey, int line) implements Node {
    @Override
    public String kind() {
      return "keys and values";
    }
  }
}
