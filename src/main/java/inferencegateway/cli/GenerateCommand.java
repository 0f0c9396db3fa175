package inferencegateway.cli;

import inferencegateway.config.LogConfig;
import inferencegateway.telemetry.Logging;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "generate",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Asks a running gateway and prints the answer as it comes.",
      "",
      "The answer goes to standard output; reasoning, one line of figures and errors go to"
          + " standard error. Ctrl-C cancels the call, and with it the generation."
    },
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    parameterListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the answer is whole",
      "1:an unexpected fault",
      "2:the command line is wrong",
      "10 + n:the call ended with gRPC status n: 11 cancelled, 13 invalid argument, 14 deadline"
          + " exceeded, 15 not found, 17 permission denied, 18 resource exhausted, 22 unimplemented, 23 internal, 24"
          + " unavailable, 26 unauthenticated",
      "130:Ctrl-C"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -jar inference-gateway.jar generate \"Why is the sky blue?\"",
      "  java -jar inference-gateway.jar generate --system \"Answer in French.\" --max-tokens 50 Hi",
      "  git diff | java -jar inference-gateway.jar generate --system \"Review this.\" -"
    })
final class GenerateCommand implements Callable<Integer> {

  private static final int LONGEST_PROMPT = 32 << 20;

  private final Terminal terminal;

  @Mixin private final Target target = new Target();

  @Parameters(
      paramLabel = "PROMPT",
      arity = "1",
      description = "What to ask; - reads it from standard input")
  private String prompt = "";

  @Option(names = "--no-stream", description = "Ask for the whole answer in one piece")
  private boolean noStream;

  @Option(
      names = "--model",
      paramLabel = "<name>",
      description = "Which model. Default: the gateway's")
  private @Nullable String model;

  @Option(
      names = "--system",
      paramLabel = "<text>",
      description = "What the model is told before the prompt")
  private @Nullable String system;

  @Option(
      names = "--max-tokens",
      paramLabel = "<number>",
      description = "Longest answer. Default: the contract's")
  private @Nullable Integer maxTokens;

  @Option(
      names = "--temperature",
      paramLabel = "<number>",
      description = "0 to 2; 0 is greedy. Default: the contract's")
  private @Nullable Double temperature;

  @Option(
      names = "--deadline",
      paramLabel = "<duration>",
      defaultValue = "60s",
      converter = DurationOption.class,
      description = "Longest time for the whole call. Default: ${DEFAULT-VALUE}")
  private Duration deadline = Duration.ofSeconds(60);

  @Option(
      names = "--contract",
      paramLabel = "<inference|llm>",
      defaultValue = "llm",
      description = "Which of the two contracts to speak. Default: ${DEFAULT-VALUE}")
  private Contract.Name contract = Contract.Name.llm;

  @Option(
      names = "--json",
      description = "Print the answer's messages as JSON, one a line, in place of the text")
  private boolean json;

  GenerateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    Prompt asked = new Prompt(promptText(), system, model, maxTokens, temperature);
    Logging logging = Logging.start(LogConfig.quiet());
    try (logging) {
      ManagedChannel channel = target.open(terminal.environment());
      try {
        return new Generation(
                terminal, target.address(), contract.spoken(), deadline, !noStream, json)
            .run(channel, asked);
      } finally {
        Generation.close(channel);
      }
    }
  }

  private String promptText() throws IOException {
    return prompt.equals("-") ? text(terminal.in().readNBytes(LONGEST_PROMPT + 1)) : prompt;
  }

  /** A closed standard input is, in Java, whatever file was opened first: it may be this jar. */
  private static String text(byte[] read) {
    if (read.length > LONGEST_PROMPT) {
      throw new UsageFault("standard input holds more than 32 MiB, the most that a request may");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(read)).toString();
    } catch (CharacterCodingException e) {
      throw new UsageFault("standard input is closed, or holds what is no text in UTF-8");
    }
  }
}
