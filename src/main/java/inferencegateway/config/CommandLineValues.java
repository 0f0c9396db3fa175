package inferencegateway.config;

import java.util.LinkedHashMap;
import java.util.Map;

/** The values given as flags. */
final class CommandLineValues {

  private CommandLineValues() {}

  static Map<String, Value> of(Map<String, String> flags, Problems problems) {
    Map<String, Value> values = new LinkedHashMap<>();
    flags.forEach(
        (key, text) ->
            Settings.find(key)
                .ifPresentOrElse(
                    setting -> values.put(key, new Value(text, Source.flag(setting.flag()))),
                    () -> problems.add(unknown(key))));
    return values;
  }

  private static Problem unknown(String key) {
    return new Problem(
        key, "is no setting" + Nearest.hint(key, Settings.keys()), null, new Source("flag"));
  }
}
