package inferencegateway.config;

/**
 * What is written to standard error.
 *
 * @param format key {@code log.format}
 * @param level key {@code log.level}
 */
public record LogConfig(Format format, Level level) {

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
