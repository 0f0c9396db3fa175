package inferencegateway.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with one structured file: all of it, each with its place. Values are not shown:
 * they may be secrets.
 */
final class Complaints {

  private final String setting;
  private final Path file;
  private final List<Problem> found = new ArrayList<>();

  /**
   * @param setting that names the file
   */
  Complaints(String setting, Path file) {
    this.setting = setting;
    this.file = file;
  }

  /**
   * @param path within the file, as {@code callers[2].keys[0]}; empty: the file as a whole
   * @param fault reads on after it: "must be ..."
   */
  void add(String path, String fault, int line) {
    String key = path.isEmpty() ? setting : setting + ": " + path;
    found.add(new Problem(key, fault, null, Source.line(file.toString(), line)));
  }

  /** There is not even a file to speak of. */
  void unreadable(String fault) {
    found.add(new Problem(setting, fault, file.toString(), null));
  }

  /**
   * @throws ConfigException with all of them, if there are any
   */
  void throwIfAny() {
    if (!found.isEmpty()) {
      throw new ConfigException(found);
    }
  }
}
