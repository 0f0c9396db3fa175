package inferencegateway.cli;

import inferencegateway.config.Nearest;
import inferencegateway.config.Problem;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import inferencegateway.config.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Offers the settings as flags of a command, and reads back which were given. */
final class SettingFlags {

  private static final int DESCRIPTION_WIDTH = 50;

  private SettingFlags() {}

  /**
   * @param without keys that the command decides itself
   */
  static void addTo(CommandLine command, Set<String> without) {
    // Unknown flags are gathered, to be told together with whatever else is wrong.
    command.setUnmatchedArgumentsAllowed(true);
    CommandSpec spec = command.getCommandSpec();
    spec.parser().collectErrors(true);
    spec.usageMessage().sortOptions(false);
    int order = 1;
    for (Setting.Group group : Setting.Group.values()) {
      List<Setting<?>> settings =
          Settings.all().stream()
              .filter(setting -> setting.group() == group && !without.contains(setting.key()))
              .toList();
      if (!settings.isEmpty()) {
        spec.addArgGroup(flags(group, settings, order++));
      }
    }
  }

  private static ArgGroupSpec flags(Setting.Group group, List<Setting<?>> settings, int order) {
    ArgGroupSpec.Builder flags =
        ArgGroupSpec.builder().validate(false).order(order).heading("%n" + group.heading() + ":%n");
    settings.forEach(setting -> flags.addArg(flag(setting)));
    return flags.build();
  }

  private static OptionSpec flag(Setting<?> setting) {
    String description = setting.description().replace("`", "").replace("%", "%%");
    OptionSpec.Builder flag =
        OptionSpec.builder(setting.flag())
            .type(String.class)
            .paramLabel(setting.label())
            .description(lines(description + ". Default: " + setting.defaultText()));
    if (setting.isSwitch()) {
      flag.arity("0..1").fallbackValue("true");
    }
    return flag.build();
  }

  /** Broken at blanks only: left to itself the help breaks addresses and keys in two. */
  private static String[] lines(String text) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + word.length() >= DESCRIPTION_WIDTH) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines.toArray(String[]::new);
  }

  /** By key. */
  static Map<String, String> given(ParseResult parsed) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (Setting<?> setting : Settings.all()) {
      String text = parsed.matchedOptionValue(setting.flag(), null);
      if (text != null) {
        flags.put(setting.key(), text);
      }
    }
    return flags;
  }

  /**
   * One problem for each argument that means nothing; the value of an unknown flag goes with it.
   */
  static List<Problem> problems(CommandLine command) {
    List<Problem> problems = new ArrayList<>();
    command
        .getParseResult()
        .errors()
        .forEach(
            e ->
                problems.add(
                    new Problem("command line", String.valueOf(e.getMessage()), null, null)));
    boolean afterFlag = false;
    for (String argument : command.getUnmatchedArguments()) {
      boolean flag = argument.startsWith("-");
      if (flag || !afterFlag) {
        problems.add(unknown(argument, command.getCommandSpec()));
      }
      afterFlag = flag && argument.indexOf('=') < 0;
    }
    return problems;
  }

  private static Problem unknown(String argument, CommandSpec spec) {
    String name = argument.replaceFirst("=.*", "");
    return name.startsWith("-")
        ? new Problem(
            name,
            "is no flag of " + spec.name() + Nearest.hint(name, spec.optionsMap().keySet()),
            null,
            null)
        : new Problem(
            "command line", "has one word too many", argument, new Source("after the flags"));
  }
}
