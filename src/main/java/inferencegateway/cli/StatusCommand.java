package inferencegateway.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import inferencegateway.config.LogConfig;
import inferencegateway.proto.admin.v1.AdminGrpc;
import inferencegateway.proto.admin.v1.CancelCallRequest;
import inferencegateway.proto.admin.v1.ListCallsRequest;
import inferencegateway.proto.admin.v1.StatusRequest;
import inferencegateway.telemetry.Logging;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Shows what a gateway on this host does now: backends, limits, queues, and with --calls every"
          + " call; never a word of what is asked or answered. Ends a call with --cancel."
    },
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:shown, or ended",
      "1:nobody answers, or there is no such call",
      "2:the command line is wrong"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -jar inference-gateway.jar status",
      "  java -jar inference-gateway.jar status --calls",
      "  java -jar inference-gateway.jar status --cancel 5f2c1a90-6d7e-4c39-9d0b-6f0c7d1f2b11",
      "  java -jar inference-gateway.jar status --calls --json | jq '.calls[].age'"
    })
final class StatusCommand implements Callable<Integer> {

  private static final int MOST_ANSWER_BYTES = 16 << 20;

  private final Terminal terminal;

  @Mixin private final AdminTarget target = new AdminTarget();

  @Option(names = "--calls", description = "List the calls too, the oldest first, 1000 at most")
  private boolean calls;

  @Option(
      names = "--cancel",
      paramLabel = "<request-id>",
      description =
          "End every call with that request id: the generation is stopped at the backend, the caller"
              + " is told ABORTED (CANCELLED_BY_OPERATOR)")
  private @Nullable String cancel;

  @Option(
      names = "--json",
      description =
          "Print the admin service's answer as JSON; with --calls that to ListCalls alone, so that"
              + " there is one document")
  private boolean json;

  @Option(
      names = "--timeout",
      paramLabel = "<duration>",
      defaultValue = "10s",
      converter = DurationOption.class,
      description = "Longest wait for an answer. Default: ${DEFAULT-VALUE}")
  private Duration timeout = Duration.ofSeconds(10);

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Logging logging = Logging.start(LogConfig.quiet());
    try (logging) {
      ManagedChannel channel = open();
      try {
        return cancel == null ? show(channel) : cancel(channel, cancel);
      } catch (StatusRuntimeException e) {
        explain(e).forEach(terminal::say);
        return ExitCode.FAILED;
      } finally {
        Generation.close(channel);
      }
    }
  }

  private ManagedChannel open() {
    return Grpc.newChannelBuilder(target.address(), InsecureChannelCredentials.create())
        .maxInboundMessageSize(MOST_ANSWER_BYTES)
        .build();
  }

  private AdminGrpc.AdminBlockingStub admin(ManagedChannel channel) {
    return AdminGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private int show(ManagedChannel channel) {
    if (!json || !calls) {
      Message status = admin(channel).status(StatusRequest.getDefaultInstance());
      print(status);
    }
    if (calls) {
      print(admin(channel).listCalls(ListCallsRequest.getDefaultInstance()));
    }
    return ExitCode.OK;
  }

  private void print(Message answer) {
    if (json) {
      terminal.out().println(asJson(answer));
    } else {
      StatusText.lines(answer, Instant.now()).forEach(terminal.out()::println);
    }
    terminal.out().flush();
  }

  private static String asJson(Message answer) {
    try {
      return JsonFormat.printer()
          .preservingProtoFieldNames()
          .alwaysPrintFieldsWithNoPresence()
          .print(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the admin service's answers can be written as JSON", e);
    }
  }

  private int cancel(ManagedChannel channel, String id) {
    CancelCallRequest request = CancelCallRequest.newBuilder().setRequestId(id).build();
    int ended = admin(channel).cancelCall(request).getCancelled();
    if (ended == 0) {
      terminal.say("no call with request id " + Printable.of(id) + " runs now");
      return ExitCode.FAILED;
    }
    terminal.out().println(ended == 1 ? "ended" : "ended: " + ended + " calls with that id");
    return ExitCode.OK;
  }

  private List<String> explain(StatusRuntimeException e) {
    if (e.getStatus().getCode() == Status.Code.UNAVAILABLE) {
      return List.of(
          "error: nobody answers at " + target.address(),
          "  Does the gateway run on this host, with admin-listen there? Its start log says where.");
    }
    return new CallFailure(e).lines(target.address());
  }
}
