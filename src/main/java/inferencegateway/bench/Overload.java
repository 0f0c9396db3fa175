package inferencegateway.bench;

import inferencegateway.bench.Arrivals.Measured;
import inferencegateway.bench.Servers.Served;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Five times as many calls as the backend can answer: what is answered, how quickly, and how quick
 * the refusals are. The gateway begins with its defaults and has to find out itself that there are
 * eight slots.
 */
final class Overload {

  private static final int SLOTS = 8;
  private static final Duration TTFT = Duration.ofMillis(200);
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final double LITTLE = 0.25;
  private static final double MUCH = 5;

  private static final double LEAST_GOODPUT = 0.95;
  private static final double MOST_REFUSAL_MS = 20;
  private static final double MOST_P99 = 1.3;
  private static final double LEAST_LIGHT = 0.99;
  private static final int LIGHT_CALLERS = 10;
  private static final double LIGHT = 0.04;
  private static final double FLOOD = 10;

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
  record Report(
      double capacity, Measured unloaded, Measured once, Measured fiveTimes, Flood flood) {

    double goodputRatio() {
      return fiveTimes.goodput() / once.goodput();
    }

    double slowdown() {
      return fiveTimes.acceptedP99() / unloaded.acceptedP99();
    }

    boolean holds() {
      return goodputRatio() >= LEAST_GOODPUT
          && fiveTimes.refusalP99() <= MOST_REFUSAL_MS
          && slowdown() <= MOST_P99
          && flood.lightShare() >= LEAST_LIGHT;
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
          said(
              "light callers beside a flood, answered",
              flood.lightShare(),
              "at least",
              LEAST_LIGHT));
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
      return format("%-38s %6.2f   (%s %.2f)", what, value, relation, bound);
    }

    private static String format(String shape, Object... values) {
      return String.format(Locale.ROOT, shape, values);
    }
  }

  /**
   * One caller at ten times the capacity beside ten that ask for four hundredths of it each.
   *
   * @param light calls of the ten, a second
   */
  record Flood(double light, double lightAnswered, Measured flooding) {

    double lightShare() {
      return lightAnswered / light;
    }

    static Flood of(int port, LoadLoops loops, Ask ask, double capacity, Duration measure)
        throws InterruptedException {
      List<OpenLoop> callers = new ArrayList<>();
      List<CompletableFuture<Measured>> loads = new ArrayList<>();
      try {
        for (int i = 0; i <= LIGHT_CALLERS; i++) {
          // Callers without a name are told apart by where they come from.
          OpenLoop caller = new OpenLoop(port, loops, ask, DEADLINE, loopback(10 + i), i);
          callers.add(caller);
          loads.add(started(caller, capacity * (i == 0 ? FLOOD : LIGHT), measure));
        }
        Measured flooding = loads.get(0).join();
        List<Measured> light = loads.stream().skip(1).map(CompletableFuture::join).toList();
        return new Flood(
            light.stream().mapToDouble(Measured::offered).sum(),
            light.stream().mapToDouble(Measured::goodput).sum(),
            flooding);
      } finally {
        callers.forEach(OpenLoop::close);
      }
    }

    private static InetAddress loopback(int last) {
      try {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
      } catch (UnknownHostException e) {
        throw new IllegalStateException("four bytes are an address", e);
      }
    }

    private static CompletableFuture<Measured> started(
        OpenLoop caller, double perSecond, Duration measure) {
      CompletableFuture<Measured> done = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  done.complete(caller.run(perSecond, seconds(4), measure).measured());
                } catch (InterruptedException | RuntimeException e) {
                  done.completeExceptionally(e);
                }
              },
              "caller");
      thread.setDaemon(true);
      thread.start();
      return done;
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
          measured(load, "5 times", MUCH * capacity),
          flood(gateway.port(), loops, ask, capacity));
    }
  }

  private Flood flood(int port, LoadLoops loops, Ask ask, double capacity)
      throws InterruptedException {
    progress.accept("measuring: one caller floods, ten others call");
    return Flood.of(port, loops, ask, capacity, seconds(quick ? 10 : 40));
  }

  private Measured measured(OpenLoop load, String words, double perSecond)
      throws InterruptedException {
    progress.accept("measuring: " + words);
    return load.run(perSecond, seconds(3), seconds(quick ? 10 : 40)).measured();
  }

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }
}
