package inferencegateway.cli;

import inferencegateway.config.ConfigException;
import inferencegateway.config.Nearest;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line: words in, words and an exit code out. */
public final class Cli {

  private static final int WIDTH = 100;

  private Cli() {}

  /** Runs one command to its end; the caller exits with what comes back. */
  public static int run(String[] args, Wiring wiring) {
    return run(args, wiring, Terminal.ofProcess());
  }

  static int run(String[] args, Wiring wiring, Terminal terminal) {
    CommandLine root = new CommandLine(new RootCommand());
    addCommands(root, wiring, terminal);
    root.setUsageHelpWidth(WIDTH);
    root.setUsageHelpLongOptionsMaxWidth(40);
    // A prompt may begin with an @; it names no file then.
    root.setExpandAtFiles(false);
    root.setOut(terminal.out());
    root.setErr(terminal.err());
    root.setParameterExceptionHandler((e, given) -> misused(e, terminal));
    root.setExecutionExceptionHandler((e, command, parsed) -> failed(e, command, terminal));
    try {
      return written(root.execute(args), terminal);
    } finally {
      terminal.err().flush();
    }
  }

  /** What was not written was not done, whatever the command thinks. */
  private static int written(int code, Terminal terminal) {
    terminal.out().flush();
    String fault = terminal.outFault().get();
    if (fault == null) {
      return code;
    }
    terminal.say("error: standard output cannot be written: " + fault);
    return code == ExitCode.OK ? ExitCode.FAILED : code;
  }

  private static void addCommands(CommandLine root, Wiring wiring, Terminal terminal) {
    CommandLine serve = new CommandLine(new ServeCommand(wiring.gateway(), terminal));
    SettingFlags.addTo(serve, Set.of());
    CommandLine demo =
        new CommandLine(new DemoCommand(wiring.gateway(), wiring.demoBackend(), terminal));
    SettingFlags.addTo(demo, DemoCommand.DECIDED);
    root.addSubcommand(serve);
    root.addSubcommand(demo);
    root.addSubcommand(new GenerateCommand(terminal));
    root.addSubcommand(new HealthCommand(terminal));
    root.addSubcommand(new StatusCommand(terminal));
    root.addSubcommand(new HashKeyCommand(terminal));
    wiring.moreCommands().forEach(root::addSubcommand);
  }

  private static int misused(ParameterException e, Terminal terminal) {
    CommandLine command = e.getCommandLine();
    terminal.say("error: " + e.getMessage() + hint(e));
    terminal.say("See: " + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  private static String hint(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      CommandLine command = e.getCommandLine();
      List<String> known =
          unmatched.isUnknownOption()
              ? List.copyOf(command.getCommandSpec().optionsMap().keySet())
              : List.copyOf(command.getSubcommands().keySet());
      return Nearest.hint(unmatched.getUnmatched().get(0), known);
    }
    return "";
  }

  private static int failed(Exception e, CommandLine command, Terminal terminal) {
    if (e instanceof ConfigException config) {
      config.problems().forEach(problem -> terminal.say("error: " + problem));
      terminal.say("See: " + command.getCommandSpec().qualifiedName() + " --help");
      return ExitCode.USAGE;
    }
    if (e instanceof IOException) {
      terminal.say("error: " + e.getMessage());
      return ExitCode.FAILED;
    }
    if (e instanceof UsageFault) {
      terminal.say("error: " + e.getMessage());
      return ExitCode.USAGE;
    }
    terminal.say("error: unexpected, please report it");
    e.printStackTrace(terminal.err());
    return ExitCode.FAILED;
  }
}
