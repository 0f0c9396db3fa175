package inferencegateway.telemetry;

import inferencegateway.config.TelemetryConfig;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
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
  private static final int THREADS = 2;

  private static final int WAITING = 16;

  /** Longest that a reader may take to say what it wants, and to take it; seconds. */
  private static final String MOST_REQUEST_TIME = "10";

  private static final String MOST_RESPONSE_TIME = "30";

  static {
    // Read when the server's classes are loaded. A reader that stalls would hold one of the
    // threads.
    presetUnlessGiven("sun.net.httpserver.maxReqTime", MOST_REQUEST_TIME);
    presetUnlessGiven("sun.net.httpserver.maxRspTime", MOST_RESPONSE_TIME);
  }

  private final HTTPServer server;
  private final Readers readers;

  private MetricsPage(HTTPServer server, Readers readers) {
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
    registry.register(reader);
    Readers readers = new Readers();
    try {
      HTTPServer server =
          HTTPServer.builder()
              .hostname(port.address().host())
              .port(port.address().port())
              .registry(registry)
              .executorService(readers)
              .buildAndStart();
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

  /**
   * Who serves readers. Rests after each for a multiple of the time it took: however many read, and
   * however fast, most of the processor is left for calls.
   */
  private static final class Readers extends ThreadPoolExecutor {
    private static final int REST = 9;
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
    return server.getPort();
  }

  @Override
  public void close() {
    server.close();
    readers.shutdownNow();
  }
}
