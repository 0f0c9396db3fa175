package inferencegateway.cli;

import inferencegateway.config.LogConfig;
import inferencegateway.telemetry.Logging;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "health",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Asks a gateway through grpc.health.v1 whether it serves. Fit for a container's health check."
    },
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:SERVING", "1:anything else", "2:the command line is wrong"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -jar inference-gateway.jar health",
      "  java -jar inference-gateway.jar health --service liveness --target localhost:50051"
    })
final class HealthCommand implements Callable<Integer> {

  private final Terminal terminal;

  @Mixin private final Target target = new Target();

  @Option(
      names = "--service",
      paramLabel = "<name>",
      defaultValue = "",
      description =
          "liveness, readiness, inference.InferenceService or llm.v1.LLMService. Default: the"
              + " gateway as a whole")
  private String service = "";

  @Option(
      names = "--timeout",
      paramLabel = "<duration>",
      defaultValue = "2s",
      converter = DurationOption.class,
      description = "Longest wait for the answer. Default: ${DEFAULT-VALUE}")
  private Duration timeout = Duration.ofSeconds(2);

  HealthCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Logging logging = Logging.start(LogConfig.quiet());
    try (logging) {
      ManagedChannel channel = target.open(terminal.environment());
      try {
        return told(ask(channel));
      } catch (StatusRuntimeException e) {
        new CallFailure(e).lines(target.address()).forEach(terminal::say);
        return ExitCode.FAILED;
      } finally {
        Generation.close(channel);
      }
    }
  }

  private ServingStatus ask(ManagedChannel channel) {
    HealthCheckRequest request = HealthCheckRequest.newBuilder().setService(service).build();
    return HealthGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .check(request)
        .getStatus();
  }

  private int told(ServingStatus status) {
    terminal.out().println(status);
    return status == ServingStatus.SERVING ? ExitCode.OK : ExitCode.FAILED;
  }
}
