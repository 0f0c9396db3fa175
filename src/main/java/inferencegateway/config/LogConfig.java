package inferencegateway.config;

/**
 * What is written to standard error.
 *
 * @param format key {@code log.format}
 * @param level key {@code log.level}
 */
public record LogConfig(Format format, Level level) {

  /** For commands that a person watches: what they have to say is no log. */
  public static LogConfig quiet() {
    return new LogConfig(Format.TEXT, Level.ERROR);
  }

  public enum Format {
    TEXT,
    JSON
  }

  public enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }
}
