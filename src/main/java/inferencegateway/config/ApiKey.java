package inferencegateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A backend's API key, followed as its file changes. Thread-safe. */
public final class ApiKey implements Reloadable {

  /** The backend wants none. */
  public static final ApiKey NONE = new ApiKey("", null);

  private final String setting;
  private final @Nullable Path file;

  /** The one in force, then the one before it. Written by the reload thread, read by every loop. */
  private volatile List<Secret> recent = List.of();

  private ApiKey(String setting, @Nullable Path file) {
    this.setting = setting;
    this.file = file;
  }

  /**
   * Reads it for the first time.
   *
   * @param setting what names the file, for messages
   * @param file null: none
   * @throws StartFailure when there is no key in it
   */
  public static ApiKey in(String setting, @Nullable Path file) throws StartFailure {
    if (file == null) {
      return NONE;
    }
    ApiKey key = new ApiKey(setting, file);
    key.reload();
    return key;
  }

  /** The one to send; null: none. */
  public @Nullable Secret secret() {
    List<Secret> keys = recent;
    return keys.isEmpty() ? null : keys.get(0);
  }

  /** What calls that run now may have sent, and must not be shown. */
  public List<Secret> recent() {
    return recent;
  }

  @Override
  public List<Path> files() {
    return file == null ? List.of() : List.of(file);
  }

  @Override
  public void reload() throws StartFailure {
    if (file != null) {
      recent = Stream.concat(Stream.of(read(file)), recent.stream()).distinct().limit(2).toList();
    }
  }

  private Secret read(Path from) throws StartFailure {
    try {
      return SecretFile.read(from);
    } catch (IllegalArgumentException e) {
      throw new StartFailure(setting, e.getMessage() + ": " + from, e);
    }
  }
}
