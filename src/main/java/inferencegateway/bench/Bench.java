package inferencegateway.bench;

import inferencegateway.bench.Servers.Served;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Runs scenarios one after the other against processes that it starts and ends. */
final class Bench {

  private static final int FEW_STREAMS = 100;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final double STILL_FALLING = 0.95;

  private final Servers servers;
  private final Timing timing;
  private final Consumer<String> progress;

  Bench(Servers servers, Timing timing, Consumer<String> progress) {
    this.servers = servers;
    this.timing = timing;
    this.progress = progress;
  }

  /**
   * What was measured.
   *
   * @param floor name of what it was compared with
   */
  record Report(String floor, List<Result> results) {}

  /**
   * @param streams in place of each scenario's own number; null: its own
   */
  Report run(List<Scenario> scenarios, @Nullable Integer streams)
      throws IOException, InterruptedException {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    try (LoadLoops loops = new LoadLoops("load", threads);
        Served simulator = servers.simulator();
        Served gateway = servers.gateway(simulator.port());
        Served floor = servers.floor(simulator.port())) {
      if (!scenarios.equals(List.of(Scenario.SMALLEST))) {
        warmUp(gateway, loops);
      }
      List<Result> results = new ArrayList<>();
      for (Scenario scenario : scenarios) {
        progress.accept("measuring " + scenario.word());
        int many = streams == null ? scenario.streams() : streams;
        results.add(
            scenario.kind() == Scenario.Kind.MEMORY
                ? memory(scenario, many, simulator, loops)
                : speed(scenario, many, gateway, floor, loops));
      }
      return new Report(floor.name(), results);
    }
  }

  /** Java compiles while it works; the proxy has nothing of the kind, or little. */
  void warmUp(Served server, LoadLoops loops) throws InterruptedException {
    progress.accept("warming up, at most " + timing.warmUp().toSeconds() + " s");
    for (Scenario scenario : List.of(Scenario.UNARY_32, Scenario.STREAM_64, Scenario.PACED_200)) {
      Meter meter = new Meter();
      try (Load load = load(server, loops, meter)) {
        load.start(scenario.streams(), scenario.ask());
        untilSteady(scenario.ask(), server, meter);
      }
    }
  }

  /** Until the processor time of a call or token falls no more; bounded. */
  private void untilSteady(Ask ask, Served server, Meter meter) throws InterruptedException {
    long end = System.nanoTime() + timing.warmUp().toNanos() / 3;
    double least = Double.MAX_VALUE;
    for (int steady = 0; steady < 3 && System.nanoTime() - end < 0; ) {
      double now = between(ask, server, meter, WINDOW).micros();
      steady = now < least * STILL_FALLING ? 0 : steady + 1;
      least = Math.min(least, now);
    }
  }

  private static Load load(Served server, LoadLoops loops, Meter meter) {
    return server.name().equals("gateway")
        ? new GrpcLoad(server.port(), loops, meter)
        : new HttpLoad(server.port(), loops, Servers.MODEL, meter);
  }

  private Result speed(
      Scenario scenario, int streams, Served gateway, Served floor, LoadLoops loops)
      throws InterruptedException {
    Figure ours = figure(scenario.ask(), streams, gateway, loops);
    Figure least = figure(scenario.ask(), streams, floor, loops);
    return new Result(scenario, streams, ours, least, null);
  }

  Figure figure(Ask ask, int streams, Served server, LoadLoops loops) throws InterruptedException {
    return figures(ask, streams, List.of(server), loops).get(0);
  }

  /**
   * Of several servers at the same time, so that whatever else the machine does meets all of them.
   *
   * @param streams at each
   */
  List<Figure> figures(Ask ask, int streams, List<Served> all, LoadLoops loops)
      throws InterruptedException {
    Deque<Load> loads = new ArrayDeque<>();
    try {
      List<Meter> meters = new ArrayList<>();
      for (Served server : all) {
        Meter meter = new Meter();
        Load load = load(server, loops, meter);
        loads.push(load);
        meters.add(meter);
        load.start(streams, ask);
      }
      pause(timing.settle());
      List<Mark> marks = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        marks.add(Mark.now(ask, all.get(i), meters.get(i)));
      }
      pause(timing.measure());
      return marks.stream().map(Mark::since).toList();
    } finally {
      loads.forEach(Load::close);
    }
  }

  private static Figure between(Ask ask, Served server, Meter meter, Duration time)
      throws InterruptedException {
    Mark mark = Mark.now(ask, server, meter);
    pause(time);
    return mark.since();
  }

  /** Where a server stood at one moment. */
  private record Mark(
      Ask ask,
      Served server,
      Meter meter,
      long nanos,
      Duration cpu,
      Duration compiler,
      long units) {

    static Mark now(Ask ask, Served server, Meter meter) {
      meter.delays();
      return new Mark(
          ask,
          server,
          meter,
          System.nanoTime(),
          server.child().cpu(),
          server.child().compilerCpu(),
          Bench.units(ask, meter));
    }

    Figure since() {
      double used = server.child().cpu().minus(cpu).toNanos();
      double compiled = Math.max(0, server.child().compilerCpu().minus(compiler).toNanos());
      long done = Bench.units(ask, meter) - units;
      double seconds = (System.nanoTime() - nanos) / 1e9;
      Histogram delays = meter.delays();
      return new Figure(
          done / seconds,
          done == 0 ? 0 : used / 1_000 / done,
          done == 0 ? 0 : compiled / 1_000 / done,
          used / 1e9 / seconds,
          delays.getValueAtPercentile(50) / NANOS_PER_MILLI,
          delays.getValueAtPercentile(99) / NANOS_PER_MILLI,
          meter.failures());
    }
  }

  private static long units(Ask ask, Meter meter) {
    return ask.streamed() ? meter.tokens() : meter.calls();
  }

  /** With a gateway of its own: one that has worked hard before keeps what it took. */
  private Result memory(Scenario scenario, int many, Served simulator, LoadLoops loops)
      throws IOException, InterruptedException {
    int few = Math.max(1, Math.min(FEW_STREAMS, many / 2));
    try (Served gateway = servers.gateway(simulator.port())) {
      Duration quicker = scenario.ask().pace().multipliedBy(few).dividedBy(many);
      Ask busy = new Ask(true, scenario.ask().tokens(), quicker);
      figure(busy, few, gateway, loops);
      Held before = held(busy, few, gateway, loops);
      Held after = held(scenario.ask(), many, gateway, loops);
      Memory memory = new Memory(few, before.bytes(), many, after.bytes());
      return new Result(scenario, many, after.figure(), null, memory);
    }
  }

  private record Held(Figure figure, long bytes) {}

  private Held held(Ask ask, int streams, Served gateway, LoadLoops loops)
      throws InterruptedException {
    Meter meter = new Meter();
    try (Load load = load(gateway, loops, meter)) {
      load.start(streams, ask);
      pause(timing.settle());
      Figure figure = between(ask, gateway, meter, timing.measure());
      return new Held(figure, gateway.child().residentBytes());
    }
  }

  private static void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }
}
