package inferencegateway.bench;

import inferencegateway.bench.Bench.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A report as a table for people. */
final class Words {

  private static final String ROW = "%-12s %7s %10s  %9s %9s %6s  %-15s %-15s";

  private Words() {}

  static List<String> of(Report report, Timing timing, Machine machine, String command) {
    List<String> lines = new ArrayList<>();
    String floor = report.floor();
    lines.add(row("", "", "", "CPU us per token", "", "", "", ""));
    lines.add(
        row(
            "scenario",
            "streams",
            "per second",
            "gateway",
            floor,
            "ratio",
            "delay gateway",
            floor));
    report.results().forEach(result -> lines.add(speed(result)));
    report.results().stream().filter(r -> r.memory() != null).forEach(r -> lines.add(memory(r)));
    lines.add("");
    lines.add(
        "CPU: user and system time of the server's processes, per token (unary: per call), between two marks "
            + seconds(timing.measure())
            + " apart, after "
            + seconds(timing.settle())
            + " of the same load and a warm-up of at most "
            + seconds(timing.warmUp())
            + ".");
    if (timing.warmUp().equals(Timing.quick().warmUp())) {
      lines.add("Quick: the gateway's Java was still compiling. Quote the figures of a full run.");
    }
    lines.add("Delay: from the simulator's write of a token to the caller's read, p50/p99 in ms.");
    lines.add("All on one machine: simulator, server and callers share its cores.");
    lines.add("Machine: " + machine);
    lines.add("Command: " + command);
    return lines;
  }

  private static String speed(Result result) {
    Figure ours = result.gateway();
    Figure floor = result.floor();
    boolean streamed = result.scenario().ask().streamed();
    return row(
        result.scenario().word(),
        Integer.toString(result.streams()),
        format("%,.0f", ours.perSecond()),
        format("%.1f", ours.micros()),
        floor == null ? "" : format("%.1f", floor.micros()),
        floor == null ? "" : format("%.2f", result.ratio()),
        streamed ? delay(ours) : "",
        floor == null || !streamed ? "" : delay(floor));
  }

  private static String delay(Figure figure) {
    return format("%.2f / %.2f", figure.delayP50(), figure.delayP99());
  }

  private static String memory(Result result) {
    Memory memory = result.memory();
    if (memory == null || !memory.isKnown()) {
      return "memory: not to be had on this system";
    }
    return format(
        "memory: %.1f KB of RSS per open stream (%.0f MB at %d streams, %.0f MB at %d; same tokens"
            + " a second)",
        memory.kilobytesPerStream(),
        megabytes(memory.bytesAtFew()),
        memory.few(),
        megabytes(memory.bytesAtMany()),
        memory.many());
  }

  private static double megabytes(long bytes) {
    return bytes / 1_048_576.0;
  }

  private static String seconds(Duration duration) {
    return format("%.1f s", duration.toMillis() / 1_000.0);
  }

  private static String row(Object... cells) {
    return format(ROW, cells).stripTrailing();
  }

  private static String format(String shape, Object... values) {
    return String.format(Locale.ROOT, shape, values);
  }
}
