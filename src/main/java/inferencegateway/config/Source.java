package inferencegateway.config;

/** Where a value came from, as people are told. */
public record Source(String text) {

  static final Source DEFAULT = new Source("default");

  static Source flag(String flag) {
    return new Source("flag " + flag);
  }

  static Source variable(String name) {
    return new Source("environment " + name);
  }

  static Source line(String file, int line) {
    return new Source("file " + file + ", line " + line);
  }

  @Override
  public String toString() {
    return text;
  }
}
