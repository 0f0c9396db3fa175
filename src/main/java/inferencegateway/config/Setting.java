package inferencegateway.config;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One thing that can be set. {@link Settings#all} has them all. */
public final class Setting<T> {

  private final Group group;
  private final String key;
  private final Format<T> format;
  private final @Nullable String initial;
  private final String defaultText;
  private final String description;

  /**
   * @param initial the default as it would be written; null where there is none
   * @param defaultText the default in words
   */
  Setting(
      Group group,
      String key,
      Format<T> format,
      @Nullable String initial,
      String defaultText,
      String description) {
    this.group = group;
    this.key = key;
    this.format = format;
    this.initial = initial;
    this.defaultText = defaultText;
    this.description = description;
  }

  public Group group() {
    return group;
  }

  /** As in the file: {@code drain.pause}. */
  public String key() {
    return key;
  }

  /** As on the command line: {@code --drain-pause}. */
  public String flag() {
    return "--" + key.replace('.', '-');
  }

  /** As in the environment: {@code GATEWAY_DRAIN_PAUSE}. */
  public String variable() {
    return "GATEWAY_" + key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** What kind of value it takes, as the help shows it: {@code <duration>}. */
  public String label() {
    return format.label();
  }

  /** Whether it is {@code true} or {@code false}, so that its bare flag can mean true. */
  public boolean isSwitch() {
    return format.equals(Format.SWITCH);
  }

  /** The default in words; {@code none} where there is none. */
  public String defaultText() {
    return defaultText;
  }

  /** One line, no full stop. */
  public String description() {
    return description;
  }

  /** The default as it would be written. */
  Optional<String> initial() {
    return Optional.ofNullable(initial);
  }

  /** The default of a setting that has one. */
  String fallback() {
    return initial().orElseThrow(() -> new IllegalStateException(key + " has no default"));
  }

  T parse(String text) {
    return format.parse().apply(text);
  }

  /**
   * A value of this setting as it may be shown. A key given in place of its file's name must not
   * reach a log, nor a password in an address.
   */
  String shown(String text) {
    if (this == Keys.API_KEY_FILE) {
      return text.startsWith("/") || text.startsWith(".") ? text : "***";
    }
    return this == Keys.BACKEND
        ? text.replaceFirst("//.*@", "//***@").replaceFirst("\\?.*", "?***")
        : text;
  }

  @Override
  public String toString() {
    return key;
  }

  /** What a setting is about; the help shows them together. */
  public enum Group {
    SERVING("Serving"),
    ACCESS("Who may call"),
    BACKEND("Backend"),
    TIME("Time limits"),
    HEALTH("Health of the backend"),
    DRAIN("Stopping"),
    KEEP_ALIVE("Keep-alive"),
    CONNECTION("Callers' connections"),
    LIMITS("Sizes and counts"),
    TLS("TLS"),
    LOG("Log");

    private final String heading;

    Group(String heading) {
      this.heading = heading;
    }

    public String heading() {
      return heading;
    }
  }
}
