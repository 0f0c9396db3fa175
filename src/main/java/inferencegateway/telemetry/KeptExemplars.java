package inferencegateway.telemetry;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last exemplar of each bucket until there is a newer one. OpenTelemetry forgets them
 * when they are read: of two readers, as two Prometheus servers that stand in for each other, or
 * one and a person with curl, each would see a part.
 *
 * <p>Holds as many as there are buckets. Thread-safe.
 */
final class KeptExemplars implements MultiCollector {

  private record Series(String name, Labels labels) {}

  private final Supplier<MetricSnapshots> source;

  /** Of the series that were there last. Guarded by this. */
  private Map<Series, Exemplars> kept = new HashMap<>();

  KeptExemplars(Supplier<MetricSnapshots> source) {
    this.source = source;
  }

  @Override
  public synchronized MetricSnapshots collect() {
    Map<Series, Exemplars> now = new HashMap<>();
    List<MetricSnapshot> all = new ArrayList<>();
    for (MetricSnapshot each : source.get()) {
      if (each instanceof HistogramSnapshot histogram) {
        all.add(histogram(histogram, now));
      } else if (each instanceof CounterSnapshot counter) {
        all.add(counter(counter, now));
      } else {
        all.add(each);
      }
    }
    kept = now;
    return new MetricSnapshots(all);
  }

  private HistogramSnapshot histogram(HistogramSnapshot read, Map<Series, Exemplars> now) {
    List<HistogramSnapshot.HistogramDataPointSnapshot> points = new ArrayList<>();
    for (HistogramSnapshot.HistogramDataPointSnapshot point : read.getDataPoints()) {
      Series series = new Series(read.getMetadata().getName(), point.getLabels());
      Exemplars last = kept.getOrDefault(series, Exemplars.EMPTY);
      Exemplars both =
          last.size() == 0 ? point.getExemplars() : merged(point, last, point.getExemplars());
      if (both.size() > 0) {
        now.put(series, both);
      }
      points.add(
          both == point.getExemplars()
              ? point
              : new HistogramSnapshot.HistogramDataPointSnapshot(
                  point.getClassicBuckets(),
                  point.getSum(),
                  point.getLabels(),
                  both,
                  point.getCreatedTimestampMillis()));
    }
    return new HistogramSnapshot(read.getMetadata(), points);
  }

  private static Exemplars merged(
      HistogramSnapshot.HistogramDataPointSnapshot point, Exemplars last, Exemplars fresh) {
    List<Exemplar> both = new ArrayList<>();
    double lower = Double.NEGATIVE_INFINITY;
    for (ClassicHistogramBucket bucket : point.getClassicBuckets()) {
      Exemplar newer = fresh.get(lower, bucket.getUpperBound());
      Exemplar either = newer == null ? last.get(lower, bucket.getUpperBound()) : newer;
      if (either != null) {
        both.add(either);
      }
      lower = bucket.getUpperBound();
    }
    return Exemplars.of(both);
  }

  private CounterSnapshot counter(CounterSnapshot read, Map<Series, Exemplars> now) {
    List<CounterSnapshot.CounterDataPointSnapshot> points = new ArrayList<>();
    for (CounterSnapshot.CounterDataPointSnapshot point : read.getDataPoints()) {
      Series series = new Series(read.getMetadata().getName(), point.getLabels());
      @Nullable Exemplar either = point.getExemplar();
      if (either == null) {
        either = kept.getOrDefault(series, Exemplars.EMPTY).getLatest();
      }
      if (either != null) {
        now.put(series, Exemplars.of(either));
      }
      points.add(
          either == point.getExemplar()
              ? point
              : new CounterSnapshot.CounterDataPointSnapshot(
                  point.getValue(), point.getLabels(), either, point.getCreatedTimestampMillis()));
    }
    return new CounterSnapshot(read.getMetadata(), points);
  }
}
