package example;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The gateway's jar as two processes, on free ports: {@code serve}, before {@code simulate}. */
final class GatewayAndBackend implements AutoCloseable {

  private static final Pattern BACKEND = Pattern.compile("simulating vLLM on (http://\\S+)/v1");
  private static final Pattern GATEWAY = Pattern.compile("gateway started.* port=(\\d+)");
  private static final Duration SOON = Duration.ofSeconds(10);

  private final List<Process> processes = new ArrayList<>();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String backend;
  private final String target;

  GatewayAndBackend() throws IOException {
    try {
      backend =
          start(BACKEND, "simulate", "--port=0", "--answer-tokens=40", "--model=simulated-model");
      target =
          "127.0.0.1:"
              + start(GATEWAY, "serve", "--listen=127.0.0.1:0", "--backend=" + backend + "/v1");
    } catch (IOException | RuntimeException | Error failed) {
      close();
      throw failed;
    }
  }

  /** Where the gateway listens. */
  String target() {
    return target;
  }

  /** Returns once the backend has seen so many requests abandoned; fails after ten seconds. */
  void awaitAbandoned(int requests) throws Exception {
    String wanted =
        "vllm:request_success_total{engine=\"0\",model_name=\"simulated-model\","
            + "finished_reason=\"abort\"} "
            + requests
            + ".0";
    await(wanted, () -> metrics().contains(wanted));
  }

  /**
   * Returns once so many lines with that word were logged; fails after ten seconds, or if more
   * were.
   */
  void awaitLogged(String word, int times) throws Exception {
    await(times + " lines with " + word, () -> logged(word) >= times);
    if (logged(word) > times) {
      throw new AssertionError(logged(word) + " lines with " + word);
    }
  }

  private long logged(String word) {
    return lines.stream().filter(line -> line.contains(word)).count();
  }

  private static void await(String what, Callable<Boolean> seen) throws Exception {
    long end = System.nanoTime() + SOON.toNanos();
    while (!seen.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not seen: " + what);
      }
      Thread.sleep(10);
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }

  private String metrics() throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(backend + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** The first group of the line that says that it is up. */
  private String start(Pattern up, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-jar", jar().toString()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    processes.add(process);
    BufferedReader from = process.inputReader(StandardCharsets.UTF_8);
    StringBuilder seen = new StringBuilder();
    for (String line = from.readLine(); line != null; line = from.readLine()) {
      seen.append(line).append('\n');
      Matcher match = up.matcher(line);
      if (match.find()) {
        keep(from);
        return match.group(1);
      }
    }
    throw new AssertionError(String.join(" ", command) + " ended:\n" + seen);
  }

  /** Reads on: a full pipe would stop the process. */
  private void keep(BufferedReader from) {
    Thread reader = new Thread(() -> from.lines().forEach(lines::add), "lines of the jar");
    reader.setDaemon(true);
    reader.setUncaughtExceptionHandler((thread, closed) -> {});
    reader.start();
  }

  private static Path jar() {
    String named = System.getenv("GATEWAY_JAR");
    Path jar = Path.of(named == null ? "../../../target/inference-gateway.jar" : named);
    if (!Files.isRegularFile(jar)) {
      throw new AssertionError(
          "no gateway at "
              + jar.toAbsolutePath().normalize()
              + ": build it (mvn package -DskipTests in the root) or name it in GATEWAY_JAR");
    }
    return jar;
  }
}
