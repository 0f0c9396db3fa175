package inferencegateway.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import inferencegateway.bench.Bench.Report;
import inferencegateway.config.LogConfig;
import inferencegateway.simulator.HumanDuration;
import inferencegateway.telemetry.Logging;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench}: what the gateway costs on this machine. */
@Command(
    name = "bench",
    sortOptions = false,
    description = {
      "Measures what the gateway costs on this machine: processor time per streamed token and per"
          + " unary call, the delay it adds to a token, memory per open stream.",
      "",
      "Starts a simulator, a gateway and, to compare with, nginx (or, where that is not installed, a"
          + " small proxy of its own that only copies bytes) as processes of their own on loopback,"
          + " puts the same load on both, and ends them. Takes two to four minutes; keep"
          + " the machine quiet meanwhile."
    },
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:measured", "1:a server did not start, or calls failed", "2:asked wrongly"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -jar inference-gateway.jar bench",
      "  java -jar inference-gateway.jar bench --quick --scenario paced-200 --scenario unary-32",
      "  java -jar inference-gateway.jar bench --scenario paced-200 --streams 500 --duration 20s",
      ""
    })
public final class BenchCommand implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final int MOST_STREAMS = 5_000;
  private static final Duration LONGEST = Duration.ofMinutes(5);

  @Option(
      names = "--quick",
      description = "A minute and a half. Java is not warm by then: too high, for calls by far.")
  private boolean quick;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      split = ",",
      description = "What to measure, may be repeated; the list is below. Without it: all.")
  private List<String> scenarios = new ArrayList<>();

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "Streams, or calls at once, in place of the scenario's own number.")
  private @Nullable Integer streams;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      description = "From mark to mark: 20s, 1m. Without it 6s, with --quick 2s.")
  private @Nullable String duration;

  @Option(
      names = "--gateway-jvm",
      paramLabel = "FLAGS",
      description = "Flags of the gateway's JVM. Default: ${DEFAULT-VALUE}")
  private String gatewayJvm = "-Xmx1g";

  @Option(names = "--json", description = "The figures as one JSON object.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this.")
  @SuppressWarnings("UnusedVariable") // Picocli looks at it.
  private boolean help;

  private @Nullable CommandSpec spec;

  /** Called by picocli, once, before any parsing. */
  @Spec
  void spec(CommandSpec given) {
    spec = given;
    given
        .usageMessage()
        .sectionMap()
        .put(UsageMessageSpec.SECTION_KEY_FOOTER, usage -> usage.footer() + scenarioList());
  }

  private static String scenarioList() {
    return Arrays.stream(Scenario.values())
        .map(s -> String.format("  %-12s %s%n", s.word(), s.help()))
        .collect(Collectors.joining("", String.format("Scenarios:%n"), ""));
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = spec().commandLine().getErr();
    Timing timing = timing();
    List<Scenario> chosen = chosen();
    Logging logging = Logging.start(LogConfig.quiet());
    try (logging) {
      Servers servers = new Servers(List.of(gatewayJvm.strip().split("\\s+")));
      if (chosen.contains(Scenario.OVERLOAD)) {
        return overload(servers, err);
      }
      if (chosen.contains(Scenario.TELEMETRY)) {
        return telemetry(servers, timing, err);
      }
      Bench bench = new Bench(servers, timing, words -> say(err, words + " ..."));
      Report report = bench.run(chosen, checkedStreams());
      print(report, timing);
      return verdict(report, err);
    } catch (IOException e) {
      say(err, "error: " + e.getMessage());
      return FAILED;
    }
  }

  private int overload(Servers servers, PrintWriter err) throws IOException, InterruptedException {
    Overload overload = new Overload(servers, quick, words -> say(err, words + " ..."));
    Overload.Report report = overload.run();
    PrintWriter out = spec().commandLine().getOut();
    if (json) {
      out.println(asJson(Map.of("overload", report)));
    } else {
      report.words(Machine.here(), command()).forEach(out::println);
    }
    out.flush();
    return report.holds() ? 0 : FAILED;
  }

  private int telemetry(Servers servers, Timing timing, PrintWriter err)
      throws IOException, InterruptedException {
    TelemetryCost cost =
        new TelemetryCost(servers, timing, quick, words -> say(err, words + " ..."));
    Integer asked = checkedStreams();
    TelemetryCost.Report report = cost.run(asked == null ? Scenario.TELEMETRY.streams() : asked);
    PrintWriter out = spec().commandLine().getOut();
    if (json) {
      out.println(asJson(Map.of("telemetry", report, "ratio", report.ratio())));
    } else {
      report.words(Machine.here(), command()).forEach(out::println);
    }
    out.flush();
    return report.holds() ? 0 : FAILED;
  }

  private static int verdict(Report report, PrintWriter err) {
    long failures = report.results().stream().mapToLong(Result::failures).sum();
    boolean empty = report.results().stream().anyMatch(r -> r.gateway().perSecond() == 0);
    if (failures > 0) {
      say(err, "error: " + failures + " calls failed; the figures count for nothing");
    }
    if (empty) {
      say(err, "error: nothing was answered between the marks");
    }
    return failures > 0 || empty ? FAILED : 0;
  }

  private static void say(PrintWriter err, String line) {
    err.println(line);
    err.flush();
  }

  private Timing timing() {
    Timing usual = quick ? Timing.quick() : Timing.usual();
    if (duration == null) {
      return usual;
    }
    try {
      Duration asked = HumanDuration.parse(duration);
      if (asked.isZero() || asked.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException("--duration must be above 0 and at most 5m");
      }
      return usual.measuring(asked);
    } catch (IllegalArgumentException wrong) {
      throw misused(wrong);
    }
  }

  private List<Scenario> chosen() {
    try {
      List<Scenario> all = scenarios.stream().map(Scenario::of).distinct().toList();
      for (Scenario each : all) {
        if (each.isAlone() && all.size() > 1) {
          throw new IllegalArgumentException("--scenario " + each.word() + " runs alone");
        }
      }
      return all.isEmpty() ? Scenario.usual() : all;
    } catch (IllegalArgumentException unknown) {
      throw misused(unknown);
    }
  }

  private @Nullable Integer checkedStreams() {
    if (streams != null && (streams < 1 || streams > MOST_STREAMS)) {
      throw misused(new IllegalArgumentException("--streams must be 1 to " + MOST_STREAMS));
    }
    return streams;
  }

  private ParameterException misused(IllegalArgumentException why) {
    return new ParameterException(spec().commandLine(), String.valueOf(why.getMessage()), why);
  }

  private void print(Report report, Timing timing) {
    PrintWriter out = spec().commandLine().getOut();
    Machine machine = Machine.here();
    if (json) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("comparedWith", report.floor());
      all.put("results", report.results());
      out.println(asJson(all));
    } else {
      Words.of(report, timing, machine, command()).forEach(out::println);
    }
    out.flush();
  }

  private String asJson(Map<String, Object> figures) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("command", command());
    all.put("machine", Machine.here());
    all.putAll(figures);
    try {
      return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(all);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private String command() {
    List<String> arguments =
        spec().root().commandLine().getParseResult().originalArgs().stream().toList();
    return "java -jar inference-gateway.jar " + String.join(" ", arguments);
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec;
  }
}
