package inferencegateway.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "inference-gateway",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "A gRPC front door for LLM inference servers that speak OpenAI's HTTP API.",
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    commandListHeading = "%nCommands:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  See it work, with nothing else installed:",
      "    java -jar inference-gateway.jar demo",
      "  In front of vLLM on this machine:",
      "    java -Xmx1g -jar inference-gateway.jar serve --backend http://localhost:8000/v1",
      "  Ask it something:",
      "    java -jar inference-gateway.jar generate \"Why is the sky blue?\"",
      "  Is it ready?",
      "    java -jar inference-gateway.jar health",
      "  What does it do now?",
      "    java -jar inference-gateway.jar status",
      "",
      "Each command explains itself: inference-gateway COMMAND --help"
    })
final class RootCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call.
  private CommandSpec spec;

  /** Without a command there is nothing to do but to say what there is. */
  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    command.usage(command.getErr());
    return ExitCode.USAGE;
  }
}
