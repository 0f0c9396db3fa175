package inferencegateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The values in force. A bad one is noted and its default taken in its place, so that the checks
 * that follow can go on.
 */
final class Values {

  private final Map<String, Value> given;
  private final Problems problems;

  Values(Map<String, Value> given, Problems problems) {
    this.given = given;
    this.problems = problems;
  }

  /** Of a setting that has a default, its own or one given to {@link #follow}. */
  <T> T get(Setting<T> setting) {
    return find(setting).orElseGet(() -> setting.parse(setting.fallback()));
  }

  /** Empty when it is neither set nor has a default, or when what is set is wrong. */
  <T> Optional<T> find(Setting<T> setting) {
    return inForce(setting).flatMap(value -> tried(setting, value.text(), setting::parse));
  }

  /**
   * What is in the file that a setting names.
   *
   * @param reader throws {@link IllegalArgumentException} with words that go on after the key
   */
  <T> Optional<T> file(Setting<Path> setting, Function<Path, T> reader) {
    return find(setting).flatMap(path -> tried(setting, path, reader));
  }

  private <A, T> Optional<T> tried(Setting<?> setting, A input, Function<A, T> step) {
    try {
      return Optional.of(step.apply(input));
    } catch (IllegalArgumentException e) {
      wrong(setting.key(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** Makes the default of one setting follow from others. */
  void follow(Setting<?> setting, String text) {
    given.putIfAbsent(
        setting.key(), new Value(text, new Source("default: " + setting.defaultText())));
  }

  boolean isSet(Setting<?> setting) {
    return given.containsKey(setting.key());
  }

  /** Notes that the value in force of a setting cannot be used. */
  void wrong(String key, String fault) {
    Setting<?> setting = Settings.find(key).orElseThrow();
    Optional<Value> value = inForce(setting);
    problems.add(
        new Problem(
            key,
            fault,
            value.map(Value::text).map(setting::shown).orElse(null),
            value.map(Value::source).orElse(null)));
  }

  List<Settings.InForce> shown() {
    return Settings.all().stream().map(this::shown).toList();
  }

  private Settings.InForce shown(Setting<?> setting) {
    Optional<Value> value = inForce(setting);
    return new Settings.InForce(
        setting.key(),
        value.map(Value::text).map(setting::shown).orElse(""),
        value.map(Value::source).orElse(Source.DEFAULT));
  }

  private Optional<Value> inForce(Setting<?> setting) {
    return Optional.ofNullable(given.get(setting.key()))
        .or(() -> setting.initial().map(text -> new Value(text, Source.DEFAULT)));
  }
}
