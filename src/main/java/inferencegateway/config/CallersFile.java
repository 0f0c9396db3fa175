package inferencegateway.config;

import inferencegateway.auth.Allowed;
import inferencegateway.auth.Caller;
import inferencegateway.auth.CallerLimits;
import inferencegateway.auth.Callers;
import inferencegateway.auth.KeyHash;
import inferencegateway.auth.Listed;
import inferencegateway.auth.SpiffePattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/** The file of callers, followed as it changes. Thread-safe. */
public final class CallersFile implements Reloadable {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@/-]{0,63}");
  private static final Pattern MODEL = Pattern.compile("[^*\\p{Cntrl}]{0,256}\\*?");
  private static final Pattern METHOD = Pattern.compile("[A-Za-z0-9._]+/([A-Za-z0-9_]+|\\*)|\\*");

  private final Path file;

  /** Replaced as a whole by the reload thread, read by every loop. */
  private volatile Callers current;

  private CallersFile(Path file) {
    this.file = file;
    this.current = Callers.of(read(file));
  }

  /**
   * Reads it for the first time.
   *
   * @throws ConfigException with everything that is wrong
   */
  public static CallersFile open(Path file) {
    return new CallersFile(file);
  }

  public Callers callers() {
    return current;
  }

  @Override
  public List<Path> files() {
    return List.of(file);
  }

  @Override
  public void reload() {
    current = Callers.of(read(file));
  }

  /**
   * @throws ConfigException with everything that is wrong
   */
  static List<Listed> read(Path file) {
    Complaints complaints = new Complaints(Keys.CALLERS_FILE.key(), file);
    List<Listed> callers = new ArrayList<>();
    YamlTree.read(file, complaints)
        .ifPresent(tree -> callers.addAll(all(new Section("", tree, complaints))));
    complaints.throwIfAny();
    return callers;
  }

  private static List<Listed> all(Section file) {
    Seen seen = new Seen();
    List<Listed> callers = new ArrayList<>();
    for (Section each : file.sections("callers")) {
      callers.add(caller(each, seen));
    }
    if (callers.isEmpty()) {
      file.wrong("callers", "must list one caller at least: nobody could call");
    }
    file.noMore();
    return callers;
  }

  private static Listed caller(Section caller, Seen seen) {
    String name = caller.required("name", text -> seen.once("name", text, name(text))).orElse("");
    List<KeyHash> keys = caller.many("keys", text -> once(seen, text, KeyHash::parse));
    List<SpiffePattern> spiffe =
        caller.many("spiffe", text -> once(seen, text, SpiffePattern::parse));
    List<X500Principal> subjects =
        caller.many("subjects", text -> once(seen, text, CallersFile::subject));
    if (Stream.of("keys", "spiffe", "subjects").noneMatch(caller::hasItems)) {
      caller.wrong("keys", "must be there, or spiffe, or subjects: it could not be told otherwise");
    }
    Caller known =
        Caller.known(
            name,
            allowed(caller, "models", CallersFile::model),
            allowed(caller, "methods", CallersFile::method),
            limits(caller));
    caller.noMore();
    return new Listed(known, keys, spiffe, subjects);
  }

  private static CallerLimits limits(Section caller) {
    return new CallerLimits(
        caller.one("priority", 0, text -> number(text, -10, 10)),
        limit(caller, "concurrency", 1),
        limit(caller, "waiting", 0),
        limit(caller, "requests-per-minute", 1),
        limit(caller, "tokens-per-minute", 1));
  }

  private static int limit(Section caller, String key, int least) {
    return caller.one(key, CallerLimits.NO_LIMIT, text -> number(text, least, Integer.MAX_VALUE));
  }

  /** Not there: all. An empty list: none. */
  private static Allowed allowed(Section caller, String key, Function<String, String> check) {
    List<String> patterns = caller.many(key, check);
    return caller.keys().contains(key) ? new Allowed(patterns) : Allowed.ALL;
  }

  private static <T> T once(Seen seen, String text, Function<String, T> parse) {
    T credential = parse.apply(text);
    return seen.once("credential", credential, credential);
  }

  private static String name(String text) {
    return matched(NAME, text, "must be letters, digits and . _ @ / -, 64 at most");
  }

  private static String model(String text) {
    return matched(MODEL, text, "must be a model's name, with a * at most at its end");
  }

  private static String method(String text) {
    return matched(
        METHOD, text, "must be as llm.v1.LLMService/Complete, llm.v1.LLMService/* or \"*\"");
  }

  private static String matched(Pattern pattern, String text, String fault) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException(fault);
    }
    return text;
  }

  private static X500Principal subject(String text) {
    try {
      return new X500Principal(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("must be a subject such as CN=shop,O=Corp", e);
    }
  }

  private static int number(String text, int least, int most) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("must be a whole number", e);
    }
    throw new IllegalArgumentException(
        most == Integer.MAX_VALUE
            ? "must be " + least + " or more"
            : "must be from " + least + " to " + most);
  }

  /** What one file has used already: a name or a credential of two callers would be a trap. */
  private static final class Seen {
    private final Map<Object, String> used = new HashMap<>();

    <T> T once(String what, Object id, T value) {
      if (used.putIfAbsent(id, what) != null) {
        throw new IllegalArgumentException(
            "must not be there twice: each " + what + " is of one caller");
      }
      return value;
    }
  }
}
