package inferencegateway.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The values given as {@code GATEWAY_*} variables. An empty one counts as not set.
 *
 * @param values by key
 * @param warnings one line for each variable that means nothing
 */
record Environment(Map<String, Value> values, List<String> warnings) {

  private static final String PREFIX = "GATEWAY_";

  /** What Kubernetes sets for services called gateway or gateway-something. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "GATEWAY_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\\d+_(TCP|UDP|SCTP)(_.+)?)");

  private static final Pattern SERVICE_LINK_PORT = Pattern.compile("GATEWAY_(.+_)?PORT");
  private static final Pattern SERVICE_LINK_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

  static Environment of(Map<String, String> environment) {
    Map<String, Value> values = new LinkedHashMap<>();
    Set<String> unknown = new TreeSet<>();
    Map<String, Setting<?>> known = byVariable();
    environment.forEach(
        (name, text) -> {
          Setting<?> setting = known.get(name);
          if (setting != null && !text.isEmpty()) {
            values.put(setting.key(), new Value(text, Source.variable(name)));
          } else if (setting == null && isOurs(name) && !isServiceLink(name, text)) {
            unknown.add(name);
          }
        });
    return new Environment(values, unknown.stream().map(name -> warning(name, known)).toList());
  }

  private static Map<String, Setting<?>> byVariable() {
    Map<String, Setting<?>> known = new TreeMap<>();
    Settings.all().forEach(setting -> known.put(setting.variable(), setting));
    return known;
  }

  private static boolean isOurs(String name) {
    return name.startsWith(PREFIX) && !Objects.equals(name, "GATEWAY_CONFIG");
  }

  private static boolean isServiceLink(String name, String text) {
    return SERVICE_LINK.matcher(name).matches()
        || (SERVICE_LINK_PORT.matcher(name).matches()
            && SERVICE_LINK_ADDRESS.matcher(text).matches());
  }

  private static String warning(String name, Map<String, Setting<?>> known) {
    return "environment variable "
        + name.replaceAll("\\p{Cntrl}", "?")
        + " sets nothing"
        + Nearest.hint(name, known.keySet());
  }
}
