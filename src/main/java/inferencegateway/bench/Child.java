package inferencegateway.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process under measurement, with those that it started itself. Ends with {@link #close}, and
 * with this process in any of its endings that leave it a moment.
 */
final class Child implements AutoCloseable {

  private static final int KEPT_CHARS = 4_000;
  private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

  /** The kernel's unit in /proc on every platform that Java runs on. */
  private static final long MILLIS_A_TICK = 10;

  private final String name;
  private final Process process;
  private final StringBuilder said = new StringBuilder();
  private final CompletableFuture<String> awaited = new CompletableFuture<>();
  private final Thread hook = new Thread(this::kill, "bench-kill");

  private Child(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param telling the line of its output that {@link #line} is to hand out
   */
  static Child start(String name, List<String> command, Predicate<String> telling)
      throws IOException {
    return start(name, command, Map.of(), telling);
  }

  /**
   * Starts it.
   *
   * @param environment beside this process's own
   * @param telling the line of its output that {@link #line} is to hand out
   */
  static Child start(
      String name, List<String> command, Map<String, String> environment, Predicate<String> telling)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    Child child = new Child(name, process);
    Runtime.getRuntime().addShutdownHook(child.hook);
    process.getOutputStream().close();
    Thread reader = new Thread(() -> child.read(telling), "bench-" + name);
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  private void read(Predicate<String> telling) {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        keep(line);
        if (telling.test(line)) {
          awaited.complete(line);
        }
      }
    } catch (IOException closed) {
      keep(String.valueOf(closed.getMessage()));
    }
    awaited.completeExceptionally(new IOException(name + " ended"));
  }

  private void keep(String line) {
    synchronized (said) {
      if (said.length() < KEPT_CHARS) {
        said.append("  ").append(line).append('\n');
      }
    }
  }

  /** What it has written so far, its beginning. */
  String said() {
    synchronized (said) {
      return said.toString();
    }
  }

  String line(Duration most) throws IOException, InterruptedException {
    try {
      return awaited.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(name + " did not start; it said:\n" + said(), e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * User and system time of all its threads and of the processes it started, since they began. On
   * Linux that is {@code utime + stime} of {@code /proc/PID/stat}, to 10 ms.
   */
  Duration cpu() {
    return family()
        .map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  /**
   * What of {@link #cpu} went to Java's compiler: work for the life of a process, not for a token.
   * Zero where the system does not tell by thread.
   */
  Duration compilerCpu() {
    long ticks = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads) {
        ticks += compilerTicks(thread.resolve("stat"));
      }
    } catch (IOException elsewhere) {
      return Duration.ZERO;
    }
    return Duration.ofMillis(ticks * MILLIS_A_TICK);
  }

  /** The name comes in brackets; user and system time are the 12th and 13th word after it. */
  private static long compilerTicks(Path stat) {
    try {
      String line = Files.readString(stat);
      if (!COMPILER.matcher(line).find()) {
        return 0;
      }
      String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(words[11]) + Long.parseLong(words[12]);
    } catch (IOException gone) {
      return 0;
    }
  }

  private Stream<ProcessHandle> family() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants());
  }

  /** Bytes in memory, {@code VmRSS}; -1 where the system does not tell that way. */
  long residentBytes() {
    long sum = 0;
    for (ProcessHandle handle : family().toList()) {
      try (Stream<String> lines = Files.lines(Path.of("/proc/" + handle.pid() + "/status"))) {
        sum += lines.filter(l -> l.startsWith("VmRSS:")).mapToLong(Child::kilobytes).sum() * 1_024;
      } catch (IOException elsewhere) {
        return -1;
      }
    }
    return sum;
  }

  private static long kilobytes(String line) {
    return Long.parseLong(line.replaceAll("\\D", ""));
  }

  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      return; // The hook finds nothing left to do.
    }
  }

  /** Asks, waits a moment, and insists; the children of children as well. */
  private void kill() {
    List<ProcessHandle> all = family().toList();
    process.destroy();
    try {
      process.onExit().get(3, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException stubborn) {
      process.destroyForcibly();
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }
}
