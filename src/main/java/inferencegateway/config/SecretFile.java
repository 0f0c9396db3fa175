package inferencegateway.config;

import java.nio.file.Path;

/** Reads a key out of its file. What it says about a bad file never shows the content. */
final class SecretFile {

  private static final int MOST_BYTES = 16 * 1024;

  private SecretFile() {}

  /** The path itself, when there is a key in the file. */
  static Path checked(Path path) {
    read(path);
    return path;
  }

  static Secret read(Path path) {
    String key = FileText.read(path, MOST_BYTES).strip();
    if (key.isEmpty()) {
      throw new IllegalArgumentException("must name a file that holds the key; it is empty");
    }
    if (key.indexOf('\n') >= 0 || key.indexOf('\r') >= 0) {
      throw new IllegalArgumentException("must name a file that holds the key on one line");
    }
    if (key.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException("must name a file whose key is printable ASCII only");
    }
    return new Secret(key);
  }
}
