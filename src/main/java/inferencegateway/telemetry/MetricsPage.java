package inferencegateway.telemetry;

import inferencegateway.config.TelemetryConfig;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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

  private final HTTPServer server;
  private final ExecutorService threads;

  private MetricsPage(HTTPServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
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
    ExecutorService threads = threads();
    try {
      HTTPServer server =
          HTTPServer.builder()
              .hostname(port.address().host())
              .port(port.address().port())
              .registry(registry)
              .executorService(threads)
              .buildAndStart();
      return new MetricsPage(server, threads);
    } catch (IOException e) {
      threads.shutdownNow();
      String why = port.key() + ": cannot listen on " + port.address() + ": " + e.getMessage();
      if (port.asked()) {
        throw new IOException(why, e);
      }
      LOG.warn("No page of metrics. {}. Set {} to another address, or off", why, port.key());
      return null;
    }
  }

  private static ExecutorService threads() {
    return new ThreadPoolExecutor(
        THREADS,
        THREADS,
        1,
        TimeUnit.MINUTES,
        new ArrayBlockingQueue<>(WAITING),
        work -> {
          Thread thread = new Thread(work, "metrics");
          thread.setDaemon(true);
          return thread;
        });
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.close();
    threads.shutdownNow();
  }
}
