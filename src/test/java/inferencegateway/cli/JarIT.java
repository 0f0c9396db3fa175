package inferencegateway.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as people get it, started as people start it. */
final class JarIT {

  /** How long a person may wait to be told that something is wrong. */
  private static final Duration SOON = Duration.ofSeconds(3);

  @TempDir private Path folder;

  @Test
  void versionIsTheBuilds() throws Exception {
    Finished run = run("--version");
    assertEquals(0, run.code());
    assertTrue(run.out().startsWith("inference-gateway " + System.getProperty("gateway.version")));
    assertTrue(run.out().contains("grpc-java 1."));
  }

  @Test
  void itIsTheOnlyJarInItsFolder() throws IOException {
    Path jar = Path.of(System.getProperty("gateway.jar"));
    try (Stream<Path> files = Files.list(jar.getParent())) {
      assertEquals(List.of(jar), files.filter(file -> file.toString().endsWith(".jar")).toList());
    }
  }

  @Test
  void everyCommandExplainsItself() throws Exception {
    for (String command : List.of("serve", "demo", "generate", "health", "simulate")) {
      Finished run = run(command, "--help");
      assertEquals(0, run.code(), command);
      assertTrue(run.out().startsWith("Usage: inference-gateway " + command), run.out());
      assertTrue(run.out().contains("Exit codes:"), command);
      assertEquals("", run.err(), command);
    }
  }

  @Test
  void everyProblemOfTheConfigurationIsListed() throws Exception {
    Path file = Files.writeString(folder.resolve("gateway.yaml"), "drain.puase: 5s\n");
    Finished run =
        run(
            "serve",
            "--config=" + file,
            "--bakcend=x",
            "--backend=localhost:8000",
            "--listen=nowhere",
            "--api-key-file=/no/such/file",
            "--tls-cert=/no/such/cert");
    assertEquals(2, run.code());
    for (String problem :
        List.of(
            "drain.puase: is no setting; did you mean drain.pause?",
            "--bakcend: is no flag of serve; did you mean --backend?",
            "backend: must begin with http://",
            "listen: must be an address and a port",
            "api-key-file: must name a file that exists",
            "tls.cert: must name a file that exists",
            "tls.cert: needs tls.key")) {
      assertTrue(run.err().contains("error: " + problem), problem + " in " + run.err());
    }
    assertTold(run);
  }

  @Test
  void fileThatCannotBeReadIsTold() throws Exception {
    Finished run = run("serve", "--config=" + folder.resolve("nothing.yaml"));
    assertEquals(2, run.code());
    assertTrue(run.err().contains("error: config: must name a file that exists"), run.err());
    assertTold(run);
  }

  @Test
  void validConfigurationIsSaidToBeValid() throws Exception {
    Finished run = run("serve", "--check", "--listen=127.0.0.1:0");
    assertEquals(0, run.code());
    assertEquals("configuration is valid\n", run.out());
    assertTold(run);
  }

  @Test
  void portInUseIsTold() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Finished run = run("serve", "--listen=127.0.0.1:" + taken.getLocalPort());
      assertEquals(1, run.code(), run.err());
      assertTrue(
          run.err().contains("error: listen: cannot listen on 127.0.0.1:" + taken.getLocalPort()),
          run.err());
      assertTrue(run.err().contains("address already in use"), run.err());
      assertTold(run);
    }
  }

  @Test
  void portOfTheHealthListenerInUseIsToldByItsOwnKey() throws Exception {
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String address = "127.0.0.1:" + taken.getLocalPort();
      Finished run = run("serve", "--listen=127.0.0.1:0", "--health-listen=" + address);
      assertEquals(1, run.code(), run.err());
      assertTrue(
          run.err().contains("error: health-listen: cannot listen on " + address), run.err());
      assertTold(run);
    }
  }

  @Test
  void clientsSayThatNobodyIsThere() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    Finished generate = run("generate", "--target=localhost:" + free, "Hi");
    assertEquals(24, generate.code());
    assertTrue(generate.err().contains("Is the gateway running"), generate.err());
    Finished health = run("health", "--target=localhost:" + free);
    assertEquals(1, health.code());
    assertTrue(health.err().contains("Is the gateway running"), health.err());
  }

  @Test
  void closedInputIsNoPrompt() throws Exception {
    Finished run = inShell("<&-", "generate", "--target=localhost:9", "-");
    assertEquals(2, run.code(), run.err());
    assertTold(run);
    assertTrue(run.err().contains("standard input"), run.err());
  }

  @Test
  void outputThatCannotBeWrittenIsNoSuccess() throws Exception {
    for (String command : List.of("hash-key", "--help", "--version")) {
      Finished run = inShell(">/dev/full", command);
      assertEquals(1, run.code(), command);
      assertTold(run);
      assertTrue(run.err().contains("standard output cannot be written"), run.err());
    }
  }

  private Finished inShell(String redirection, String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" " + redirection, "sh"));
    command.addAll(command(args));
    return run(command);
  }

  @Test
  void demoStreamsAnAnswer() throws Exception {
    Finished run = run("demo", "--once", "--listen=127.0.0.1:0");
    assertEquals(0, run.code(), run.err());
    assertFalse(run.out().isBlank());
    assertTrue(run.err().contains("tokens in"), run.err());
  }

  @Test
  void termSignalStopsServeInOrder() throws Exception {
    Process process = served("--drain-pause=0s", "--drain-grace=1s");
    try {
      process.destroy();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void secondTermSignalEndsServeWithinASecond() throws Exception {
    Process process = served("--drain-pause=1h");
    try {
      process.destroy();
      assertFalse(process.waitFor(1, TimeUnit.SECONDS));
      process.destroy();
      assertTrue(process.waitFor(1, TimeUnit.SECONDS));
      assertEquals(128 + 15, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  /** A gateway that has said that it is started. */
  private static Process served(String... flags) throws IOException {
    List<String> command = command("serve", "--listen=127.0.0.1:0", "--backend=http://127.0.0.1:9");
    command.addAll(List.of(flags));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    List<String> seen = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      seen.add(line);
      if (line.contains("gateway started")) {
        return process;
      }
    }
    throw new AssertionError("serve ended: " + seen);
  }

  /** As soon as any command of this machine, at this moment, can be over. */
  private void assertTold(Finished run) throws IOException, InterruptedException {
    if (run.took().compareTo(SOON) >= 0) {
      Duration least = run("--version").took();
      assertTrue(
          run.took().compareTo(least.multipliedBy(4)) < 0, run.took() + ", --version: " + least);
    }
    assertFalse(run.err().contains("\tat "), run.err());
  }

  private record Finished(int code, String out, String err, Duration took) {}

  private Finished run(String... args) throws IOException, InterruptedException {
    return run(command(args));
  }

  private Finished run(List<String> command) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    long begun = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(20, TimeUnit.SECONDS);
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    process.destroyForcibly();
    assertTrue(ended, () -> String.join(" ", command) + " does not end");
    return new Finished(process.exitValue(), read(out), read(err), took);
  }

  private static List<String> command(String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.add("-jar");
    command.add(System.getProperty("gateway.jar"));
    command.addAll(List.of(args));
    return command;
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }
}
