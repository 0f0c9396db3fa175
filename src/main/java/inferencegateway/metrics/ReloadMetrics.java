package inferencegateway.metrics;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How the reading of files goes; each reloadable goes by the first of its files. */
final class ReloadMetrics {

  private static final int MOST_FILES = 50;

  private final LongCounter reloads;
  private final ObservableLongMeasurement inForce;
  private final Bounded files = new Bounded(MOST_FILES);
  private final Map<String, Boolean> good = new ConcurrentHashMap<>();

  ReloadMetrics(Meter meter) {
    this.reloads = Metric.CONFIG_RELOADS.counter(meter);
    this.inForce = Metric.CONFIG_IN_FORCE.observed(meter);
    meter.batchCallback(this::observe, inForce);
  }

  /** It was read at the start. From then on both counters are there, so that rises are seen. */
  void follows(List<Path> of) {
    String file = files.of(name(of));
    good.put(file, true);
    reloads.add(0, labels(file, true));
    reloads.add(0, labels(file, false));
  }

  void reloaded(List<Path> of, boolean isGood) {
    String file = files.of(name(of));
    good.put(file, isGood);
    reloads.add(1, labels(file, isGood));
  }

  private static Attributes labels(String file, boolean isGood) {
    return Attributes.of(Label.FILE, file, Label.RESULT, isGood ? "ok" : "failed");
  }

  private static String name(List<Path> of) {
    return of.isEmpty() ? "" : of.get(0).toString();
  }

  private void observe() {
    good.forEach((file, isGood) -> inForce.record(isGood ? 1 : 0, Attributes.of(Label.FILE, file)));
  }
}
