package inferencegateway;

import inferencegateway.cli.Cli;
import inferencegateway.cli.Wiring;
import java.io.IOException;
import java.util.List;

/** The jar's entry. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    Wiring wiring =
        new Wiring(
            config -> {
              throw new IOException("this build has no gateway in it");
            },
            () -> {
              throw new IOException("this build has no simulator in it");
            },
            List.of());
    System.exit(Cli.run(args, wiring));
  }
}
