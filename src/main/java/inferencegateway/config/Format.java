package inferencegateway.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes its value.
 *
 * @param label as the help shows it, {@code <duration>}
 * @param parse throws {@link IllegalArgumentException} with words that go on after the key, "must
 *     be ..."
 */
record Format<T>(String label, Function<String, T> parse) {

  static final Format<Duration> DURATION = new Format<>("<duration>", Durations::parse);
  static final Format<Integer> SIZE = new Format<>("<size>", Format::size);
  static final Format<Integer> NUMBER = new Format<>("<number>", Format::number);
  static final Format<Boolean> SWITCH = new Format<>("<true|false>", Format::bool);
  static final Format<HostPort> ADDRESS = new Format<>("<host:port>", HostPort::parse);
  static final Format<Optional<HostPort>> ADDRESS_OR_OFF =
      new Format<>("<host:port|off>", Format::addressOrOff);
  static final Format<BackendUrl> URL = new Format<>("<url>", BackendUrl::parse);
  static final Format<Path> FILE = new Format<>("<file>", Format::file);
  static final Format<String> NAME = new Format<>("<name>", Format::name);
  static final Format<String> HOST = new Format<>("<name>", Format::host);
  static final Format<LogConfig.Format> LOG_FORMAT = words(LogConfig.Format.class);
  static final Format<LogConfig.Level> LOG_LEVEL = words(LogConfig.Level.class);

  private static final Pattern SIZE_TEXT = Pattern.compile("([0-9]{1,10})(|KiB|MiB|GiB)");

  private static Optional<HostPort> addressOrOff(String text) {
    return text.equalsIgnoreCase("off") ? Optional.empty() : Optional.of(HostPort.parse(text));
  }

  private static int size(String text) {
    Matcher matcher = SIZE_TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("must be a size in bytes such as 1000, 16KiB or 4MiB");
    }
    int shift =
        switch (matcher.group(2)) {
          case "KiB" -> 10;
          case "MiB" -> 20;
          case "GiB" -> 30;
          default -> 0;
        };
    long bytes = Long.parseLong(matcher.group(1)) << shift;
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("must be below 2GiB");
    }
    return (int) bytes;
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("must be a whole number such as 256", e);
    }
  }

  private static boolean bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  private static Path file(String text) {
    try {
      if (!text.isBlank()) {
        return Path.of(text);
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("must be the path of a file", e);
    }
    throw new IllegalArgumentException("must be the path of a file");
  }

  private static String name(String text) {
    if (text.isBlank() || text.length() > 1000 || text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("must be a name on one line");
    }
    return text.strip();
  }

  private static String host(String text) {
    return Hosts.bare(text, "must be a host's name such as gpu.corp.example");
  }

  private static <E extends Enum<E>> Format<E> words(Class<E> type) {
    String all = String.join("|", Words.of(type));
    return new Format<>("<" + all + ">", text -> Words.parse(type, text));
  }
}
