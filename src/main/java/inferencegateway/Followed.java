package inferencegateway;

import inferencegateway.auth.Callers;
import inferencegateway.config.CallersFile;
import inferencegateway.config.ConfigException;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.StartFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is read from files at the start, before anything is opened, and followed from then on.
 *
 * @param callers null: there is no list
 */
record Followed(@Nullable CallersFile callers) {

  private static final int UNLISTED = 100;
  private static final int LISTED = 1_000;

  /**
   * @throws IOException says in one line which setting, which file, and why
   */
  static Followed open(GatewayConfig config) throws IOException {
    return new Followed(callers(config.access().callersFile()));
  }

  private static @Nullable CallersFile callers(@Nullable Path file) throws IOException {
    try {
      return file == null ? null : CallersFile.open(file);
    } catch (ConfigException e) {
      throw new StartFailure("callers.file", String.valueOf(e.getMessage()), e);
    }
  }

  /** Whom to let in, asked for each call. */
  Supplier<Callers> admitted() {
    return callers == null ? () -> Callers.ANYONE : callers::callers;
  }

  /** How many callers metrics tell apart: a list names them, certificates may be anybody's. */
  int mostCallers() {
    return callers == null ? UNLISTED : LISTED;
  }
}
