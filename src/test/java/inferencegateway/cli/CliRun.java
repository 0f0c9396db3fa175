package inferencegateway.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** One run of the command line in this process, and what came of it. */
record CliRun(int code, String out, String err) {

  static final Wiring NOTHING =
      new Wiring(
          config -> {
            throw new IOException("no gateway here");
          },
          () -> {
            throw new IOException("no backend here");
          },
          List.of());

  static CliRun of(String... args) {
    return with(NOTHING, Map.of(), "", args);
  }

  static CliRun with(Wiring wiring, Map<String, String> environment, String in, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(err),
            new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
            environment);
    return new CliRun(Cli.run(args, wiring, terminal), out.toString(), err.toString());
  }
}
