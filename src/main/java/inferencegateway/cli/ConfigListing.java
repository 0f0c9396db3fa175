package inferencegateway.cli;

import inferencegateway.config.Settings;
import java.io.PrintWriter;
import java.util.List;
import java.util.regex.Pattern;

/** Writes what is in force, as a file that {@code --config} could read. */
final class ConfigListing {

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9/][A-Za-z0-9/:._-]*");
  private static final int COLUMN = 48;

  private ConfigListing() {}

  static void print(List<Settings.InForce> inForce, PrintWriter out) {
    inForce.forEach(value -> out.println(line(value)));
    out.flush();
  }

  private static String line(Settings.InForce value) {
    String setting =
        value.text().isEmpty()
            ? "# " + value.key() + ":"
            : value.key() + ": " + quoted(value.text());
    String source = value.text().isEmpty() ? "not set" : value.source().text();
    return setting + " ".repeat(Math.max(2, COLUMN - setting.length())) + "# " + source;
  }

  private static String quoted(String text) {
    return PLAIN.matcher(text).matches() && !text.equals("null") && !text.endsWith(":")
        ? text
        : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
