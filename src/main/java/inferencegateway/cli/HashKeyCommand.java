package inferencegateway.cli;

import inferencegateway.auth.BearerKey;
import inferencegateway.auth.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "hash-key",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Makes a new API key for a caller, and prints it with the hash that goes into callers.file.",
      "With -, reads a key from standard input and prints its hash alone.",
      "",
      "The gateway keeps hashes only: a key that is lost is replaced, not looked up."
    },
    synopsisHeading = "Usage: ",
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:printed", "2:the command line or the key is wrong"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  java -jar inference-gateway.jar hash-key",
      "  openssl rand -hex 32 | tee key | java -jar inference-gateway.jar hash-key -"
    })
final class HashKeyCommand implements Callable<Integer> {

  private static final int RANDOM_BYTES = 32;

  /** Lets scanners for leaked secrets know one when they see it. */
  private static final String PREFIX = "igw_";

  /** 128 bits in base64: a shorter key might be found by trying, against a hash without salt. */
  private static final int SHORTEST = 22;

  private static final int MOST_INPUT = 8192;

  private final Terminal terminal;

  @Parameters(
      paramLabel = "-",
      arity = "0..1",
      description = "Read the key from standard input, in place of making one")
  private @Nullable String source;

  HashKeyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (source == null) {
      String key = newKey();
      terminal.out().println("key:  " + key);
      terminal.out().println("hash: " + KeyHash.of(key).text());
    } else if (source.equals("-")) {
      terminal.out().println(KeyHash.of(checked(input())).text());
    } else {
      throw new UsageFault("a key on the command line can be seen by others; pipe it in, with -");
    }
    terminal.out().flush();
    return ExitCode.OK;
  }

  private static String newKey() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  private String input() throws IOException {
    return new String(terminal.in().readNBytes(MOST_INPUT), StandardCharsets.UTF_8).strip();
  }

  private static String checked(String key) {
    if (key.length() < SHORTEST) {
      throw new UsageFault(
          "the key must be random and of " + SHORTEST + " characters at least (128 bits)");
    }
    if (!BearerKey.canBe(key)) {
      throw new UsageFault("the key must be letters, digits and - . _ ~ + / on one line");
    }
    return key;
  }
}
