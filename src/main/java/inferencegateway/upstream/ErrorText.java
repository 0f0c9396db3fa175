package inferencegateway.upstream;

import inferencegateway.config.Secret;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Makes a backend's words fit to be shown to a caller: no keys, no prompts, one short line. */
final class ErrorText {

  private static final int MAX_CHARS = 300;

  /** More is not even looked at: patterns run over it on an event loop. */
  private static final int MAX_READ = 1_024;

  /** A shorter "key" is a placeholder and would be found in ordinary words. */
  private static final int SHORTEST_KEY = 6;

  private static final String HIDDEN = "***";

  /** Pydantic repeats the caller's input in its errors; what follows cannot be told from it. */
  private static final Pattern ECHO =
      Pattern.compile("(['\"]input['\"]\\s*+:|\\binput_value\\s*+=).*", Pattern.DOTALL);

  private static final Pattern CREDENTIAL =
      Pattern.compile(
          "(?i:\\b(bearer|basic)\\s+)[^\\s'\",;]+"
              + "|\\b(sk|pk|rk|gsk|xai|ghp|glpat|AKIA)[-_][A-Za-z0-9_-]{6,}[^\\s'\",;]*"
              + "|\\bhf_[A-Za-z0-9]{6,}"
              + "|\\beyJ[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]*){1,2}");

  /** Long runs that have digits in them: digests, base64. Long names of classes have none. */
  private static final Pattern RANDOM_RUN =
      Pattern.compile("(?<![A-Za-z0-9+/_=-])(?=(?:[A-Za-z+/_=-]*+[0-9]){4})[A-Za-z0-9+/_=-]{32,}+");

  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_.\\[\\] -]{1,64}");

  private final Supplier<List<Secret>> keys;

  /**
   * @param keys our own, asked for each text: they may change
   */
  ErrorText(Supplier<List<Secret>> keys) {
    this.keys = keys;
  }

  /** One line of at most 300 chars; may be empty. */
  String clean(String raw) {
    String text = raw.length() > MAX_READ ? raw.substring(0, MAX_READ) : raw;
    return shorten(redact(oneLine(text)));
  }

  /** The same, but empty unless the words may go out as they came. */
  String cleanOrNothing(String raw) {
    String line = oneLine(raw.length() > MAX_READ ? raw.substring(0, MAX_READ) : raw);
    boolean harmless =
        line.length() <= MAX_CHARS && line.equals(redact(line)) && !line.contains("Traceback");
    return harmless ? line : "";
  }

  /** The caller's own words, which hide nothing from it. */
  String quoted(String name) {
    String text = name.length() > MAX_READ ? name.substring(0, MAX_READ) : name;
    return shorten(oneLine(text));
  }

  /** For type, param and code: the word, or empty for anything that is none. */
  String word(String raw) {
    return WORD.matcher(raw).matches() ? redact(raw) : "";
  }

  private String redact(String line) {
    String text = line;
    for (Secret key : keys.get()) {
      text = key.value().length() < SHORTEST_KEY ? text : text.replace(key.value(), HIDDEN);
    }
    text = ECHO.matcher(text).replaceFirst("...");
    text = CREDENTIAL.matcher(text).replaceAll(HIDDEN);
    return RANDOM_RUN.matcher(text).replaceAll(HIDDEN);
  }

  private static String oneLine(String text) {
    return CONTROL.matcher(text).replaceAll(" ").strip();
  }

  private static String shorten(String line) {
    if (line.length() <= MAX_CHARS) {
      return line;
    }
    int end = Character.isHighSurrogate(line.charAt(MAX_CHARS - 4)) ? MAX_CHARS - 4 : MAX_CHARS - 3;
    return line.substring(0, end) + "...";
  }
}
