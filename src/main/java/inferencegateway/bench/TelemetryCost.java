package inferencegateway.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import inferencegateway.bench.Servers.Served;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What it costs to be seen: a gateway that tells everything (metrics read every five seconds, a
 * line per call, spans to a collector, load reports, an admin port) beside one that tells nothing,
 * each under the same load at the same time: by turns, the machine's neighbours would weigh more.
 */
final class TelemetryCost {

  private static final double MOST = 1.03;
  private static final int ROUNDS = 7;
  private static final int UNCOUNTED = 3;
  private static final int FEW_ROUNDS = 3;

  private final Servers servers;
  private final Bench bench;
  private final int rounds;
  private final Consumer<String> progress;

  TelemetryCost(Servers servers, Timing timing, boolean quick, Consumer<String> progress) {
    this.servers = servers;
    this.bench = new Bench(servers, timing, progress);
    this.rounds = quick ? FEW_ROUNDS : ROUNDS;
    this.progress = progress;
  }

  /**
   * Processor time of a token in one round, in microseconds.
   *
   * @param compilerOn what Java's compiler took beside that: more code is longer in the making
   */
  record Round(double on, double off, double compilerOn, double compilerOff, long failures) {
    double ratio() {
      return on / off;
    }
  }

  /**
   * What was measured.
   *
   * @param readings of the page of metrics
   * @param collected bytes that came to the collector
   */
  record Report(int streams, List<Round> rounds, long readings, long collected) {

    /** The median of the rounds' ratios: neighbours on the machine come and go. */
    double ratio() {
      List<Double> sorted = rounds.stream().map(Round::ratio).sorted().toList();
      return sorted.get(sorted.size() / 2);
    }

    boolean holds() {
      return ratio() <= MOST && rounds.stream().allMatch(round -> round.failures() == 0);
    }

    List<String> words(Machine machine, String command) {
      List<String> lines = new ArrayList<>();
      lines.add(
          "CPU us a token   all on   all off   ratio      beside it, Java's compiler: on, off");
      for (Round round : rounds) {
        lines.add(
            String.format(
                Locale.ROOT,
                "               %8.2f  %8.2f  %6.3f   %8.2f %8.2f",
                round.on(),
                round.off(),
                round.ratio(),
                round.compilerOn(),
                round.compilerOff()));
      }
      lines.add(
          String.format(Locale.ROOT, "median ratio %.3f (at most %.2f asked for)", ratio(), MOST));
      lines.add(
          String.format(
              Locale.ROOT,
              "%d streams of 256 tokens at each at the same time, a token every 20 ms. On: metrics"
                  + " read every 5 s (%d times), a log line per call, every call's spans to a"
                  + " collector (%d bytes came), load reports, the admin port.",
              streams / 2,
              readings,
              collected));
      lines.add("Machine: " + machine);
      lines.add("Command: " + command);
      return lines;
    }
  }

  Report run(int streams) throws IOException, InterruptedException {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    int page = Servers.freePort();
    Ask ask = Scenario.TELEMETRY.ask();
    List<Round> measured = new ArrayList<>();
    try (Reader reader = new Reader(page);
        LoadLoops loops = new LoadLoops("load", threads);
        Served simulator = servers.simulator();
        Served on = servers.gateway(simulator.port(), seen(page), collector(reader));
        Served off = servers.gateway(simulator.port(), unseen(), Map.of())) {
      reader.start();
      for (Served each : List.of(on, off)) {
        bench.warmUp(each, loops);
      }
      progress.accept("warming up both");
      for (int round = 0; round < UNCOUNTED; round++) {
        bench.figures(ask, streams / 2, List.of(on, off), loops);
      }
      for (int round = 1; round <= rounds; round++) {
        progress.accept("measuring, round " + round + " of " + rounds);
        measured.add(round(bench.figures(ask, streams / 2, List.of(on, off), loops)));
      }
      return new Report(streams, measured, reader.readings.sum(), reader.collected.sum());
    }
  }

  private static Round round(List<Figure> both) {
    Figure on = both.get(0);
    Figure off = both.get(1);
    return new Round(
        on.microsOfWork(),
        off.microsOfWork(),
        on.compilerMicros(),
        off.compilerMicros(),
        on.failures() + off.failures());
  }

  private static List<String> seen(int page) {
    return List.of(
        "--admission-running=10000",
        "--metrics-listen=127.0.0.1:" + page,
        "--admin-listen=127.0.0.1:0",
        "--log-level=info");
  }

  private static List<String> unseen() {
    return List.of(
        "--admission-running=10000",
        "--metrics-listen=off",
        "--load-reports=false",
        "--log-level=warn");
  }

  private static Map<String, String> collector(Reader reader) {
    return Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + reader.port());
  }

  /**
   * Reads the page of metrics every five seconds, thrice as often as is usual, and takes whatever a
   * collector would get.
   */
  private static final class Reader implements AutoCloseable {
    private static final int EVERY = 5;

    private final LongAdder readings = new LongAdder();
    private final LongAdder collected = new LongAdder();
    private final HttpServer collector;
    private final HttpRequest page;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

    Reader(int port) throws IOException {
      page =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
              .timeout(Duration.ofSeconds(5))
              .build();
      collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      collector.createContext("/", this::take);
      collector.start();
    }

    int port() {
      return collector.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
      try (exchange) {
        collected.add(exchange.getRequestBody().readAllBytes().length);
        exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
        exchange.sendResponseHeaders(200, -1);
      }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // reading catches what it meets
    void start() {
      thread.scheduleAtFixedRate(this::read, EVERY, EVERY, TimeUnit.SECONDS);
    }

    private void read() {
      try {
        if (http.send(page, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
          readings.increment();
        }
      } catch (IOException missed) {
        return; // The figures tell how often it was read.
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      thread.shutdownNow();
      collector.stop(0);
    }
  }
}
