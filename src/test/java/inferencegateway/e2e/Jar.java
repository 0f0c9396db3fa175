package inferencegateway.e2e;

import inferencegateway.testing.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code serve} as a process of its own, on a free port; its lines are kept. */
final class Jar implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(20);
  private static final Pattern PORT = Pattern.compile("[ \"]port\"?[=:](\\d+)");

  private static final Pattern HEALTH_PORT = Pattern.compile("health_port\"?[=:](\\d+)");

  private static final Pattern ADMIN_PORT = Pattern.compile("admin_port\"?[=:](\\d+)");

  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private Jar(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "lines of the jar");
    reader.setDaemon(true);
    reader.start();
  }

  /** Returns once it says that it is started; it may not be ready. */
  static Jar serve(int backendPort, String... flags) throws IOException {
    return started(process(backendPort, flags));
  }

  /** With further variables of the environment. */
  static Jar serve(Map<String, String> variables, int backendPort, String... flags)
      throws IOException {
    ProcessBuilder builder = builder(backendPort, flags);
    builder.environment().putAll(variables);
    return started(builder.redirectErrorStream(true).start());
  }

  /** With a limit to the files that it may open. */
  static Jar serveWithFiles(int most, int backendPort) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + most + "; exec \"$@\""));
    command.add("sh");
    command.addAll(command(backendPort));
    return started(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private static Jar started(Process process) {
    Jar jar = new Jar(process);
    try {
      Eventually.within(START)
          .assertThat("started", () -> !jar.started().isEmpty() || !jar.process.isAlive());
      jar.port();
    } catch (AssertionError e) {
      jar.close();
      throw new AssertionError(String.join("\n", jar.lines), e);
    }
    return jar;
  }

  static Process process(int backendPort, String... flags) throws IOException {
    return builder(backendPort, flags).redirectErrorStream(true).start();
  }

  static ProcessBuilder builder(int backendPort, String... flags) {
    return new ProcessBuilder(command(backendPort, flags));
  }

  private static List<String> command(int backendPort, String... flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-jar", System.getProperty("gateway.jar"), "serve"));
    command.add("--listen=127.0.0.1:0");
    command.add("--backend=http://127.0.0.1:" + backendPort + "/v1");
    command.add("--model=simulated-model");
    command.addAll(List.of(flags));
    return command;
  }

  static int port(String started) {
    Matcher port = PORT.matcher(started);
    if (!port.find()) {
      throw new AssertionError("no port in: " + started);
    }
    return Integer.parseInt(port.group(1));
  }

  int port() {
    return port(started());
  }

  /** Where it has one; {@code --health-listen}. */
  int healthPort() {
    return portIn(HEALTH_PORT);
  }

  int adminPort() {
    return portIn(ADMIN_PORT);
  }

  private int portIn(Pattern key) {
    Matcher port = key.matcher(started());
    if (!port.find()) {
      throw new AssertionError("no " + key + " in: " + started());
    }
    return Integer.parseInt(port.group(1));
  }

  private String started() {
    return lines.stream().filter(line -> line.contains("gateway started")).findFirst().orElse("");
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  /** By the handle: the process's own method would close its output too. */
  void term() {
    process.toHandle().destroy();
  }

  /** As a terminal does on Ctrl-C. */
  void interrupt() throws Exception {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
  }

  void kill() {
    process.destroyForcibly();
  }

  /** The exit code. */
  int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError("still runs after " + limit);
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void read() {
    try (BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        lines.add(line);
      }
    } catch (IOException closed) {
      if (process.isAlive()) {
        throw new UncheckedIOException(closed);
      }
    }
  }
}
