package inferencegateway.bench;

import inferencegateway.bench.Arrivals.Measured;
import inferencegateway.bench.Servers.Served;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Five times as many calls as the backend can answer: what is answered, how quickly, and how quick
 * the refusals are. The gateway begins with its defaults and has to find out itself that there are
 * eight slots.
 */
final class Overload {

  private static final int SLOTS = 8;
  private static final Duration TTFT = Duration.ofMillis(100);
  private static final Duration DEADLINE = Duration.ofSeconds(3);
  private static final double LITTLE = 0.25;
  private static final double MUCH = 5;

  private static final double LEAST_GOODPUT = 0.95;
  private static final double MOST_REFUSAL_MS = 20;
  private static final double MOST_P99 = 1.3;

  private final Servers servers;
  private final boolean quick;
  private final Consumer<String> progress;

  Overload(Servers servers, boolean quick, Consumer<String> progress) {
    this.servers = servers;
    this.quick = quick;
    this.progress = progress;
  }

  /**
   * What was measured.
   *
   * @param capacity calls a second that the slots can do at the very most
   */
  record Report(double capacity, Measured unloaded, Measured once, Measured fiveTimes) {

    double goodputRatio() {
      return fiveTimes.goodput() / once.goodput();
    }

    double slowdown() {
      return fiveTimes.acceptedP99() / unloaded.acceptedP99();
    }

    boolean holds() {
      return goodputRatio() >= LEAST_GOODPUT
          && fiveTimes.refusalP99() <= MOST_REFUSAL_MS
          && slowdown() <= MOST_P99;
    }

    List<String> words(Machine machine, String command) {
      List<String> lines = new ArrayList<>();
      lines.add(
          "            offered  answered  of capacity    accepted p50 / p99   refused  refusal p99  lost");
      lines.add(row("unloaded", unloaded));
      lines.add(row("capacity", once));
      lines.add(row("5 times", fiveTimes));
      lines.add("");
      lines.add(
          said("goodput at 5 times / at capacity", goodputRatio(), "at least", LEAST_GOODPUT));
      lines.add(said("refusals, p99 in ms", fiveTimes.refusalP99(), "at most", MOST_REFUSAL_MS));
      lines.add(said("accepted p99 / unloaded", slowdown(), "at most", MOST_P99));
      lines.add(
          format(
              "Calls a second, at random, due by the clock whatever the server does; times in ms from"
                  + " when a call was due to its end. %d slots, %.1f answers a second at the very"
                  + " most.",
              SLOTS, capacity));
      lines.add("All on one machine: simulator, gateway and callers share its cores.");
      lines.add("Machine: " + machine);
      lines.add("Command: " + command);
      return lines;
    }

    private String row(String name, Measured m) {
      return format(
          "%-10s %8.1f %9.1f %10.0f %%    %8.0f / %-8.0f %9.1f %12.1f %5d",
          name,
          m.offered(),
          m.goodput(),
          100 * m.goodput() / capacity,
          m.acceptedP50(),
          m.acceptedP99(),
          m.refusals(),
          m.refusalP99(),
          m.lost());
    }

    private static String said(String what, double value, String relation, double bound) {
      return format("%-34s %7.2f   (%s %.2f)", what, value, relation, bound);
    }

    private static String format(String shape, Object... values) {
      return String.format(Locale.ROOT, shape, values);
    }
  }

  Report run() throws IOException, InterruptedException {
    Ask ask = Scenario.OVERLOAD.ask();
    double capacity = SLOTS * 1e9 / TTFT.plus(ask.pace().multipliedBy(ask.tokens() - 1)).toNanos();
    try (LoadLoops loops = new LoadLoops("load", 1);
        Served simulator = servers.simulator(Integer.toString(SLOTS), TTFT.toMillis() + "ms");
        Served gateway = servers.gateway(simulator.port(), "--admission-adaptive=true");
        OpenLoop load = new OpenLoop(gateway.port(), loops, ask, DEADLINE, null, 42)) {
      progress.accept("warming up, and letting the gateway find its limit");
      load.run(MUCH * capacity, seconds(quick ? 15 : 40), seconds(1));
      return new Report(
          capacity,
          measured(load, "unloaded", LITTLE * capacity),
          measured(load, "at capacity", capacity),
          measured(load, "5 times", MUCH * capacity));
    }
  }

  private Measured measured(OpenLoop load, String words, double perSecond)
      throws InterruptedException {
    progress.accept("measuring: " + words);
    return load.run(perSecond, seconds(3), seconds(quick ? 8 : 25)).measured();
  }

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }
}
