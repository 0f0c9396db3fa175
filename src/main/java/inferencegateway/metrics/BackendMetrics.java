package inferencegateway.metrics;

import inferencegateway.http.ConnectionCounts;
import inferencegateway.route.Backend;
import inferencegateway.upstream.EngineLoad;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How each backend is, when somebody reads. Those that left the routes leave no series behind. */
final class BackendMetrics {

  /** It is asked every second while calls of ours run there; older words say nothing of now. */
  private final ObservableLongMeasurement state;

  private final ObservableLongMeasurement inFlight;
  private final ObservableLongMeasurement limit;
  private final ObservableDoubleMeasurement running;
  private final ObservableDoubleMeasurement waiting;
  private final ObservableDoubleMeasurement cache;
  private final ObservableLongMeasurement open;
  private final ObservableLongMeasurement opened;
  private final ObservableLongMeasurement reused;
  private final ObservableLongMeasurement staleReplays;
  private final ObservableLongMeasurement aborted;

  BackendMetrics(Meter meter) {
    this.state = Metric.BACKEND_STATE.observed(meter);
    this.inFlight = Metric.BACKEND_IN_FLIGHT.observed(meter);
    this.limit = Metric.BACKEND_LIMIT.observed(meter);
    this.running = Metric.ENGINE_RUNNING.observedDouble(meter);
    this.waiting = Metric.ENGINE_WAITING.observedDouble(meter);
    this.cache = Metric.ENGINE_CACHE.observedDouble(meter);
    this.open = Metric.CONNECTIONS_OPEN.observed(meter);
    this.opened = Metric.CONNECTIONS_OPENED.observed(meter);
    this.reused = Metric.CONNECTIONS_REUSED.observed(meter);
    this.staleReplays = Metric.STALE_REPLAYS.observed(meter);
    this.aborted = Metric.UPSTREAM_ABORTED.observed(meter);
  }

  void follow(Meter meter, Sources sources) {
    meter.batchCallback(
        () -> observeAll(sources),
        state,
        inFlight,
        limit,
        running,
        waiting,
        cache,
        open,
        opened,
        reused,
        staleReplays,
        aborted);
  }

  private void observeAll(Sources sources) {
    List<Backend> backends = sources.backends().get();
    for (Backend backend : backends) {
      Attributes labels = Attributes.of(Label.BACKEND, backend.name());
      observe(backend, labels);
      observeEngine(backend.said(), labels);
      observe(sources.upstream().apply(backend), labels);
    }
  }

  private void observe(Backend backend, Attributes labels) {
    Backend.State now = backend.state();
    for (Backend.State each : Backend.State.values()) {
      state.record(each == now ? 1 : 0, labels.toBuilder().put(Label.STATE, each.word()).build());
    }
    inFlight.record(backend.capacity().running(), labels);
    limit.record(backend.capacity().limit(), labels);
  }

  private void observeEngine(@Nullable EngineLoad said, Attributes labels) {
    if (said == null) {
      return;
    }
    running.record(said.running(), labels);
    waiting.record(said.waiting(), labels);
    if (said.cache() >= 0) {
      cache.record(said.cache(), labels);
    }
  }

  private void observe(@Nullable ConnectionCounts counts, Attributes labels) {
    if (counts == null) {
      return;
    }
    open.record(counts.open(), labels);
    opened.record(counts.opened(), labels);
    reused.record(counts.reused(), labels);
    staleReplays.record(counts.staleReplays(), labels);
    aborted.record(counts.aborted(), labels);
  }
}
