package inferencegateway.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Something that is read from files again when they change. */
public interface Reloadable {

  /** What it is read from; looked at together, as one unit. May be empty. */
  List<Path> files();

  /**
   * Reads the files and takes their content over, all of it or nothing. What runs keeps what it
   * began with. Called on the reload thread, by one thread at a time.
   *
   * @throws IOException or {@link ConfigException} or {@link IllegalArgumentException} says what is
   *     wrong; the old stays in force
   */
  void reload() throws IOException;
}
