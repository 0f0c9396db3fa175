package inferencegateway.cli;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Settings;
import inferencegateway.telemetry.Logging;
import inferencegateway.telemetry.Telemetry;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Takes gRPC calls and answers them from an OpenAI-compatible server such as vLLM.",
      "",
      "Every setting below can be given as a flag (--drain-pause 5s), as an environment variable"
          + " (GATEWAY_DRAIN_PAUSE=5s) or in a YAML file (drain.pause: 5s). The flag wins over the"
          + " variable, the variable over the file. Durations: 500ms, 30s, 5m, 1h. Sizes: 1000,"
          + " 16KiB, 4MiB.",
      "",
      "SIGHUP reads keys, certificates, callers and routes again; so does time (reload.interval).",
      "",
      "SIGTERM or Ctrl-C stops it in order (see Stopping below); a second one ends it at"
          + " once, with exit code 143 (SIGTERM) or 130 (Ctrl-C)."
    },
    synopsisHeading = "Usage: ",
    customSynopsis = "inference-gateway serve [--config=<file>] [--check] [SETTINGS]",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped as asked, or the configuration is valid",
      "1:it could not start, for example because the port is taken",
      "2:the command line or the configuration is wrong; every problem is listed",
      "143:ended at once by a second SIGTERM; 130: by a second Ctrl-C"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -Xmx1g -jar inference-gateway.jar serve --backend http://localhost:8000/v1",
      "  java -Xmx1g -jar inference-gateway.jar serve --config gateway.yaml --print-config"
    })
final class ServeCommand implements Callable<Integer> {

  private final GatewayStarter starter;
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call.
  private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "<file>",
      description = "A YAML file with settings. Variable: GATEWAY_CONFIG")
  private @Nullable String file;

  @Option(
      names = "--check",
      description = "Say whether the configuration is valid, TLS files included, and exit")
  private boolean check;

  @Option(
      names = "--print-config",
      description = "Print every setting in force and where it came from, and exit")
  private boolean print;

  ServeCommand(GatewayStarter starter, Terminal terminal) {
    this.starter = starter;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    Settings.Loaded loaded = read();
    if (check || print) {
      loaded.warnings().forEach(warning -> terminal.say("warning: " + warning));
      Telemetry.fault().ifPresent(fault -> terminal.say("warning: " + fault));
      return check && !startable(loaded.config()) ? ExitCode.USAGE : show(loaded);
    }
    Logging logging = Logging.start(loaded.config().log());
    try (logging;
        ReloadSignal reloads = new ReloadSignal()) {
      Logger log = LoggerFactory.getLogger(ServeCommand.class);
      loaded.warnings().forEach(log::warn);
      HeapNote.ofProcess().ifPresent(log::warn);
      return new Serving(starter, terminal)
          .run(
              loaded.config(),
              gateway -> {
                reloads.take(gateway::reload);
                logStart(log, loaded.config(), gateway);
              });
    }
  }

  private Settings.Loaded read() {
    Map<String, String> flags =
        new LinkedHashMap<>(SettingFlags.given(spec.commandLine().getParseResult()));
    if (file != null) {
      flags.put(Settings.CONFIG, file);
    }
    return Settings.read(
        flags, terminal.environment(), Map.of(), SettingFlags.problems(spec.commandLine()));
  }

  /** Settings can each be valid, and the files that they name still not belong together. */
  private boolean startable(GatewayConfig config) {
    try {
      starter.check(config);
      return true;
    } catch (IOException e) {
      terminal.say("error: " + e.getMessage());
      return false;
    }
  }

  private int show(Settings.Loaded loaded) {
    if (print) {
      ConfigListing.print(loaded.inForce(), terminal.out());
    } else {
      terminal.out().println("configuration is valid");
    }
    return ExitCode.OK;
  }

  private static LoggingEventBuilder at(LoggingEventBuilder line, String key, int port) {
    return port < 0 ? line : line.addKeyValue(key, port);
  }

  private static void logStart(Logger log, GatewayConfig config, RunningGateway gateway) {
    LoggingEventBuilder line =
        log.atInfo()
            .addKeyValue("version", Version.of("version"))
            .addKeyValue("listen", config.listener().listen())
            .addKeyValue("port", gateway.port())
            .addKeyValue("tls", config.listener().tls() != null)
            .addKeyValue(
                "backend",
                config.routing().backends().stream()
                    .map(backend -> backend.url().text())
                    .collect(Collectors.joining(",")));
    line = at(line, "health_port", gateway.healthPort());
    line = at(line, "metrics_port", gateway.metricsPort());
    line = at(line, "admin_port", gateway.adminPort());
    line.log("gateway started");
  }
}
