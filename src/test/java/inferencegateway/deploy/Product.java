package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.cli.FlagsOf;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What deploy files may say to the gateway. */
final class Product {

  private Product() {}

  /** Every {@code GATEWAY_} variable is a setting, and all together are a good configuration. */
  static Settings.Loaded settings(Map<String, ?> environment) {
    Map<String, String> ours = new TreeMap<>();
    environment.forEach((name, value) -> ours.put(name, String.valueOf(value)));
    Set<String> known = Settings.all().stream().map(Setting::variable).collect(Collectors.toSet());
    for (String name : ours.keySet()) {
      assertTrue(!name.startsWith("GATEWAY_") || known.contains(name), "no setting: " + name);
    }
    return Settings.read(Map.of(), ours);
  }

  /** What comes after {@code -jar FILE}: a command, and flags that it takes. */
  static void checkArguments(List<String> arguments) {
    Set<String> known = FlagsOf.command(arguments.get(0));
    for (String word : arguments.subList(1, arguments.size())) {
      String flag = word.split("=", 2)[0];
      assertTrue(!flag.startsWith("--") || known.contains(flag), arguments.get(0) + " " + flag);
    }
  }

  /** The words after {@code -jar FILE}. */
  static List<String> argumentsOf(List<String> javaCommand) {
    int jar = javaCommand.indexOf("-jar");
    assertTrue(jar >= 0, javaCommand.toString());
    return javaCommand.subList(jar + 2, javaCommand.size());
  }
}
