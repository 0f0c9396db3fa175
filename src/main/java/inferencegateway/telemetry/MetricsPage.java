package inferencegateway.telemetry;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import inferencegateway.config.TelemetryConfig;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Prometheus reads, over HTTP: text, or OpenMetrics with exemplars where that is asked for.
 */
final class MetricsPage implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsPage.class);

  /** Readers at once and waiting; a storm of them is turned away at the door. */
  private static final int THREADS = 4;

  private static final int WAITING = 32;

  private static final int BACKLOG = 128;

  private static final String PATH = "/metrics";

  /** Longest that a reader may take to say what it wants, and to take it; seconds. */
  private static final String MOST_REQUEST_TIME = "2";

  private static final String MOST_RESPONSE_TIME = "30";

  static {
    // Read when the server's classes are loaded. A reader that stalls would hold one of the
    // threads.
    presetUnlessGiven("sun.net.httpserver.maxReqTime", MOST_REQUEST_TIME);
    presetUnlessGiven("sun.net.httpserver.maxRspTime", MOST_RESPONSE_TIME);
  }

  private final HttpServer server;
  private final Readers readers;

  private MetricsPage(HttpServer server, Readers readers) {
    this.server = server;
    this.readers = readers;
  }

  private static void presetUnlessGiven(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /**
   * @param port null: none
   * @return null where there is none, also where nobody asked for it and it cannot be opened
   * @throws IOException says in one line which key, which address, and why
   */
  static @Nullable MetricsPage open(
      TelemetryConfig.@Nullable Port port, PrometheusMetricReader reader) throws IOException {
    if (port == null) {
      return null;
    }
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(new KeptExemplars(reader::collect));
    Readers readers = new Readers();
    try {
      InetSocketAddress address =
          new InetSocketAddress(port.address().host(), port.address().port());
      HttpServer server = HttpServer.create(address, BACKLOG);
      server.setExecutor(readers);
      server.createContext("/", new Door(new MetricsHandler(registry)));
      server.start();
      tellOfOutside(address, port.key());
      return new MetricsPage(server, readers);
    } catch (IOException e) {
      readers.shutdownNow();
      String why = port.key() + ": cannot listen on " + port.address() + ": " + e.getMessage();
      if (port.asked()) {
        throw new IOException(why, e);
      }
      LOG.warn("No page of metrics. {}. Set {} to another address, or off", why, port.key());
      return null;
    }
  }

  /** The page tells of models and callers, and asks nobody who he is. */
  private static void tellOfOutside(InetSocketAddress address, String key) {
    if (!address.getAddress().isLoopbackAddress()) {
      LOG.info(
          "Whoever reaches port {} ({}) may read the names of models and callers there",
          address.getPort(),
          key);
    }
  }

  /** Lets in who reads the page. A body that comes with it is not read. */
  private record Door(HttpHandler page) implements HttpHandler {

    @Override
    public void handle(HttpExchange exchange) throws IOException {
      String method = exchange.getRequestMethod();
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        refuse(exchange, 404, "The metrics are at " + PATH);
      } else if (hasBody(exchange) || !(method.equals("GET") || method.equals("HEAD"))) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        refuse(exchange, 405, "This page can only be read: GET or HEAD, without a body");
      } else {
        page.handle(exchange);
      }
    }

    private static boolean hasBody(HttpExchange exchange) {
      Headers headers = exchange.getRequestHeaders();
      String length = headers.getFirst("Content-Length");
      return headers.containsKey("Transfer-Encoding") || !(length == null || length.equals("0"));
    }

    /** The connection is closed: what else comes on it is not understood. */
    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
      byte[] text = (why + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Connection", "close");
      exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
      exchange.sendResponseHeaders(status, text.length);
      exchange.getResponseBody().write(text);
      exchange.getResponseBody().flush();
      try {
        exchange.close();
      } catch (RuntimeException body) {
        // The server reads the rest of a body that is none.
      }
    }
  }

  /**
   * Who serves readers. Rests after each for a multiple of the time it took: however many read, and
   * however fast, most of the processor is left for calls.
   */
  private static final class Readers extends ThreadPoolExecutor {
    private static final int REST = 19;
    private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(200);

    private final LongAdder turnedAway = new LongAdder();
    private final ThreadLocal<Long> began = ThreadLocal.withInitial(System::nanoTime);

    Readers() {
      super(
          THREADS,
          THREADS,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(WAITING),
          Readers::daemon);
      setRejectedExecutionHandler(this::turnAway);
    }

    private static Thread daemon(Runnable work) {
      Thread thread = new Thread(work, "metrics");
      thread.setDaemon(true);
      return thread;
    }

    /** The server then closes the connection. */
    private void turnAway(Runnable work, ThreadPoolExecutor full) {
      turnedAway.increment();
      throw new RejectedExecutionException("too many readers");
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable work) {
      began.set(System.nanoTime());
    }

    @Override
    protected void afterExecute(Runnable work, @Nullable Throwable thrown) {
      if (!isShutdown()) {
        LockSupport.parkNanos(Math.min(LONGEST_REST, REST * (System.nanoTime() - began.get())));
      }
    }
  }

  /** Readers turned away so far. */
  long turnedAway() {
    return readers.turnedAway.sum();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    readers.shutdownNow();
  }
}
