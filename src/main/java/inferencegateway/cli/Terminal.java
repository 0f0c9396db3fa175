package inferencegateway.cli;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a command has of the world: where it writes and reads, and the environment.
 *
 * @param out answers, and nothing but answers
 * @param err everything said beside them
 * @param outFault why {@code out} could not be written; null where it could
 */
record Terminal(
    PrintWriter out,
    PrintWriter err,
    InputStream in,
    Map<String, String> environment,
    Supplier<@Nullable String> outFault) {

  /** Whose output can always be written. */
  Terminal(PrintWriter out, PrintWriter err, InputStream in, Map<String, String> environment) {
    this(out, err, in, environment, () -> null);
  }

  /** UTF-8 whatever the locale says: models answer in every script, containers run with LANG=C. */
  static Terminal ofProcess() {
    FaultKeeper out = new FaultKeeper(new FileOutputStream(FileDescriptor.out));
    return new Terminal(
        writer(out),
        writer(new FileOutputStream(FileDescriptor.err)),
        System.in,
        System.getenv(),
        out::fault);
  }

  private static PrintWriter writer(OutputStream out) {
    return new PrintWriter(
        new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)), true);
  }

  /** One line beside the answers, at once. */
  void say(String line) {
    err.println(line);
    err.flush();
  }
}
