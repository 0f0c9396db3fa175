package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What a command takes, by its own help; for tests of files that start it. */
public final class FlagsOf {

  private static final Pattern FLAG = Pattern.compile("(?m)^ +(?:-\\w, )?(--[a-z-]+)");

  private FlagsOf() {}

  /** Fails for a command that there is not. */
  public static Set<String> command(String name) {
    Wiring wiring =
        new Wiring(
            CliRun.NOTHING.gateway(), CliRun.NOTHING.demoBackend(), List.of(new SimulateCommand()));
    CliRun help = CliRun.with(wiring, Map.of(), "", name, "--help");
    assertEquals(0, help.code(), help.err());
    return new TreeSet<>(
        FLAG.matcher(help.out()).results().map((MatchResult found) -> found.group(1)).toList());
  }
}
