package inferencegateway.cli;

import static picocli.CommandLine.Model.UsageMessageSpec.SECTION_KEY_FOOTER;

import inferencegateway.config.LogConfig;
import inferencegateway.simulator.Fault;
import inferencegateway.simulator.HumanDuration;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.telemetry.Logging;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code simulate}: the built-in vLLM simulator alone, until it is told to stop. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    showDefaultValues = true,
    description = {
      "Runs an HTTP server that looks like vLLM's and needs no model and no GPU.",
      "It streams plausible text at a set pace, and fails on request."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:it could not start, for example because the port is taken",
      "2:the command line is wrong",
      "130:stopped by Ctrl-C; 143: by SIGTERM"
    },
    footerHeading = "%nTry it:%n",
    footer = {
      "  curl -N localhost:8000/v1/chat/completions \\",
      "    -H 'content-type: application/json' \\",
      "    -d '{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}'",
      "  curl localhost:8000/metrics",
      "",
      "Faults. Three ways, one grammar: NAME or NAME=VALUE, several separated by ';'",
      "  for every chat request   --fault 'drop-after=3'",
      "  for one, by header       -H 'x-sim-fault: status=429;retry-after=2'",
      "  for one, by its prompt   \"Hello [[sim:error-event-after=5]]\"",
      "The header adds to the flag, the prompt to both; 'none' forgets what came before.",
      ""
    })
public final class SimulateCommand implements Callable<Integer> {

  @Option(names = "--host", paramLabel = "ADDRESS", description = "Address to listen on.")
  private String host = "127.0.0.1";

  @Option(names = "--port", paramLabel = "N", description = "Port; 0 for a free one.")
  private int port = 8000;

  @Option(names = "--uds", paramLabel = "PATH", description = "A Unix socket to serve on as well.")
  private @Nullable String socketPath;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      split = ",",
      showDefaultValue = Visibility.NEVER,
      description =
          "A model to serve, may be repeated; the first is the default one. Without it:"
              + " simulated-model, meta-llama/Llama-3.1-8B-Instruct, qwen2.5-coder:32b.")
  private List<String> models = new ArrayList<>();

  @Option(names = "--api-key", paramLabel = "KEY", description = "Ask for this bearer under /v1.")
  private @Nullable String apiKey;

  @Option(
      names = "--ttft",
      paramLabel = "TIME",
      converter = Time.class,
      defaultValue = "50ms",
      description = "From a free slot to the first token.")
  private Duration timeToFirstToken = Duration.ZERO;

  @Option(
      names = "--inter-token",
      paramLabel = "TIME",
      converter = Time.class,
      defaultValue = "20ms",
      description = "Between two tokens; 0: as fast as the client takes them.")
  private Duration interToken = Duration.ZERO;

  @Option(
      names = "--jitter",
      paramLabel = "SHARE",
      description = "0 to 1: how much both vary, up and down.")
  private double jitter = 0.2;

  @Option(names = "--slots", paramLabel = "N", description = "Answers generated at once.")
  private int slots = 64;

  @Option(
      names = "--queue",
      paramLabel = "N",
      showDefaultValue = Visibility.NEVER,
      description = "Requests that wait for a slot; above: 503. Without it: any number.")
  private int queue = SimulatorConfig.UNBOUNDED;

  @Option(
      names = "--answer-tokens",
      paramLabel = "N",
      description = "An answer's natural length; 0: 40 to 120.")
  private int answerTokens;

  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description = "Tokens of prompt and answer together.")
  private int maxModelLen = 131_072;

  @Option(
      names = "--keep-alive",
      paramLabel = "TIME",
      converter = Time.class,
      defaultValue = "5s",
      description = "An idle connection is closed after that long; 0: never.")
  private Duration keepAlive = Duration.ZERO;

  @Option(names = "--loops", paramLabel = "N", description = "Threads.")
  private int loops = 1;

  @Option(
      names = "--fault",
      paramLabel = "SPEC",
      description = "Faults of every chat request; the list is below.")
  private @Nullable String fault;

  private @Nullable CommandSpec spec;

  /** Called by picocli, once, before any parsing. */
  @Spec
  void spec(CommandSpec given) {
    spec = given;
    IHelpSectionRenderer footer = help -> help.footer() + faults();
    given.usageMessage().sectionMap().put(SECTION_KEY_FOOTER, footer);
  }

  private static String faults() {
    return Arrays.stream(Fault.values())
        .map(fault -> "  " + fault.describe() + System.lineSeparator())
        .collect(Collectors.joining());
  }

  @Override
  public Integer call() throws InterruptedException {
    SimulatorConfig config = config();
    Logging logging = Logging.start(LogConfig.quiet());
    try (logging;
        Simulator simulator = new Simulator(config)) {
      if (!started(simulator)) {
        return ExitCode.FAILED;
      }
      Runtime.getRuntime().addShutdownHook(new Thread(simulator::stop, "simulate-stop"));
      announce(simulator.port());
      simulator.awaitStop();
    }
    return ExitCode.OK;
  }

  private SimulatorConfig config() {
    try {
      SimulatorConfig defaults = SimulatorConfig.defaults();
      return defaults
          .withAddress(host, port)
          .withSocketPath(socketPath)
          .withModels(models.isEmpty() ? defaults.models() : models)
          .withApiKey(apiKey)
          .withPace(timeToFirstToken, interToken)
          .withJitter(jitter)
          .withSlots(slots, queue)
          .withAnswerTokens(answerTokens)
          .withMaxModelLen(maxModelLen)
          .withKeepAlive(keepAlive)
          .withLoops(loops)
          .withFault(fault == null ? "" : fault)
          .withJournal(false);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec().commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
  }

  private boolean started(Simulator simulator) {
    try {
      simulator.start();
      return true;
    } catch (UncheckedIOException e) {
      PrintWriter err = spec().commandLine().getErr();
      err.println("error: " + fault(e));
      err.flush();
      return false;
    }
  }

  private String fault(UncheckedIOException e) {
    String text = String.valueOf(e.getMessage());
    // The system's own reason comes last: "bind(..) failed with error(-98): Address already in use"
    String reason = text.substring(text.lastIndexOf(": ") + 1).strip().toLowerCase(Locale.ROOT);
    if (socketPath != null && text.contains(socketPath)) {
      return "uds: cannot listen on " + socketPath + ": " + reason;
    }
    String words = "port: cannot listen on " + shownHost() + ":" + port + ": " + reason;
    return reason.endsWith("already in use")
        ? words + "; stop what listens there or choose another port, such as --port 0"
        : words;
  }

  private String shownHost() {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  private void announce(int actualPort) {
    PrintWriter out = spec().commandLine().getOut();
    out.println("simulating vLLM on http://" + shownHost() + ":" + actualPort + "/v1");
    if (socketPath != null) {
      out.println("              and on unix:" + socketPath);
    }
    out.flush();
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec;
  }

  /** Durations as {@code 50ms}. */
  static final class Time implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String value) {
      try {
        return HumanDuration.parse(value);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }
}
