package inferencegateway.cli;

import inferencegateway.config.ConfigException;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.HostPort;
import inferencegateway.config.Problem;
import inferencegateway.config.Settings;
import inferencegateway.telemetry.Logging;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Shows the gateway at work with nothing else installed: starts it together with a simulated"
          + " backend, streams one answer to the terminal, prints three calls to paste, and serves"
          + " until Ctrl-C.",
      "",
      "Takes the settings of serve, but for the backend, which it brings along, TLS and"
          + " callers."
    },
    synopsisHeading = "Usage: ",
    customSynopsis = "inference-gateway demo [--once] [--listen=<host:port>] [SETTINGS]",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped as asked",
      "1:it could not start, for example because the port is taken",
      "2:the command line is wrong",
      "10 + n:with --once: the answer ended with gRPC status n"
    })
final class DemoCommand implements Callable<Integer> {

  /** Settings that it decides itself. */
  static final Set<String> DECIDED =
      Set.of(
          "backend",
          "routing.file",
          "api-key-file",
          "upstream.tls.ca",
          "upstream.tls.cert",
          "upstream.tls.key",
          "upstream.tls.server-name",
          "callers.file",
          "allow-any-caller",
          "tls.cert",
          "tls.key",
          "tls.client-ca");

  /** Nobody drains a demo, and its terminal belongs to the answer. */
  private static final Map<String, String> PRESETS =
      Map.of(
          "model", "meta-llama/Llama-3.1-8B-Instruct",
          "drain.pause", "0s",
          "drain.grace", "2s",
          "log.level", "warn");

  private static final Duration LONGEST_START = Duration.ofSeconds(15);
  private static final String PROMPT = "Say hello, and tell me what you are good for.";

  private final GatewayStarter starter;
  private final BackendForDemo.Starter backends;
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call.
  private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "<file>",
      description = "A YAML file with settings. Variable: GATEWAY_CONFIG")
  private @Nullable String file;

  @Option(names = "--once", description = "Exit after the first answer")
  private boolean once;

  DemoCommand(GatewayStarter starter, BackendForDemo.Starter backends, Terminal terminal) {
    this.starter = starter;
    this.backends = backends;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (BackendForDemo backend = backends.start()) {
      GatewayConfig config = config(backend.baseUrl());
      Logging logging = Logging.start(config.log());
      try (logging) {
        int[] answered = {ExitCode.OK};
        int code =
            new Serving(starter, terminal)
                .run(config, gateway -> answered[0] = show(config, gateway));
        return code == ExitCode.OK && once ? answered[0] : code;
      }
    }
  }

  private GatewayConfig config(String backend) {
    Map<String, String> flags =
        new LinkedHashMap<>(SettingFlags.given(spec.commandLine().getParseResult()));
    flags.put("backend", backend);
    if (file != null) {
      flags.put(Settings.CONFIG, file);
    }
    List<Problem> unknown = SettingFlags.problems(spec.commandLine());
    GatewayConfig config = Settings.read(flags, terminal.environment(), PRESETS, unknown).config();
    if (config.access().callersFile() != null) {
      throw new ConfigException(
          List.of(new Problem("callers.file", "is for serve; demo serves anybody", null, null)));
    }
    if (config.listener().tls() != null) {
      throw new ConfigException(
          List.of(new Problem("tls.cert", "is for serve; demo speaks plaintext", null, null)));
    }
    return config;
  }

  private int show(GatewayConfig config, RunningGateway gateway) throws InterruptedException {
    String target = target(config.listener().listen(), gateway.port());
    if (!gateway.awaitReady(LONGEST_START)) {
      terminal.say("warning: not ready after " + LONGEST_START.toSeconds() + " s; asking anyway");
    }
    terminal.say("The gateway listens on " + target + ". One answer through it:");
    terminal.say("");
    int code = ask(target);
    if (once) {
      gateway.drainAndStop();
    } else {
      PasteCalls.to(target).forEach(terminal::say);
    }
    return code;
  }

  private int ask(String target) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    try {
      Prompt prompt = new Prompt(PROMPT, null, null, 60, null);
      return new Generation(
              terminal, target, Contract.Name.llm.spoken(), Duration.ofSeconds(30), true, false)
          .ask(channel, prompt);
    } finally {
      Generation.close(channel);
    }
  }

  /** An address that means "every address" is no address to call. */
  private static String target(HostPort listen, int port) {
    boolean every = listen.host().equals("::") || listen.host().equals("0.0.0.0");
    return new HostPort(every ? "localhost" : listen.host(), port).toString();
  }
}
