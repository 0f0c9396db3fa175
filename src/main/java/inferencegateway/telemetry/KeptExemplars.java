package inferencegateway.telemetry;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last trace of each bucket, for every reader until there is a newer one. OpenTelemetry's SDK
 * gives each to whoever reads first. What belongs to a series that is gone is forgotten.
 *
 * <p>Thread: one at a time.
 */
final class KeptExemplars {

  private static final String TARGET_HELP = "What is measured";

  private Map<String, Map<Labels, Exemplars>> before = new HashMap<>();
  private Map<String, Map<Labels, Exemplars>> now = new HashMap<>();

  MetricSnapshots added(MetricSnapshots fresh) {
    now = new HashMap<>();
    List<MetricSnapshot> all = new ArrayList<>(fresh.size());
    for (MetricSnapshot each : fresh) {
      all.add(added(each));
    }
    before = now;
    return new MetricSnapshots(all);
  }

  private MetricSnapshot added(MetricSnapshot fresh) {
    if (fresh instanceof HistogramSnapshot histogram) {
      return new HistogramSnapshot(
          histogram.isGaugeHistogram(),
          histogram.getMetadata(),
          histogram.getDataPoints().stream()
              .map(point -> added(histogram.getMetadata(), point))
              .toList());
    }
    if (fresh instanceof CounterSnapshot counter) {
      return new CounterSnapshot(
          counter.getMetadata(),
          counter.getDataPoints().stream()
              .map(point -> added(counter.getMetadata(), point))
              .toList());
    }
    return fresh instanceof InfoSnapshot info ? explained(info) : fresh;
  }

  /** The library gives it no HELP. */
  private static InfoSnapshot explained(InfoSnapshot info) {
    MetricMetadata metadata = info.getMetadata();
    return metadata.getHelp() == null
        ? new InfoSnapshot(
            new MetricMetadata(metadata.getName(), TARGET_HELP), info.getDataPoints())
        : info;
  }

  private HistogramDataPointSnapshot added(
      MetricMetadata metric, HistogramDataPointSnapshot point) {
    if (!point.hasClassicHistogramData() || point.hasNativeHistogramData()) {
      return point;
    }
    Exemplars kept =
        merged(point.getClassicBuckets(), point.getExemplars(), known(metric, point.getLabels()));
    if (kept.size() == 0) {
      return point;
    }
    keep(metric, point.getLabels(), kept);
    return new HistogramDataPointSnapshot(
        point.getClassicBuckets(),
        point.getSum(),
        point.getLabels(),
        kept,
        point.getCreatedTimestampMillis());
  }

  private static Exemplars merged(
      ClassicHistogramBuckets buckets, Exemplars fresh, Exemplars known) {
    if (fresh.size() == 0 || known.size() == 0) {
      return fresh.size() == 0 ? known : fresh;
    }
    List<Exemplar> all = new ArrayList<>(buckets.size());
    double lower = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < buckets.size(); i++) {
      double upper = buckets.getUpperBound(i);
      @Nullable Exemplar newest = fresh.get(lower, upper);
      @Nullable Exemplar last = newest == null ? known.get(lower, upper) : newest;
      if (last != null) {
        all.add(last);
      }
      lower = upper;
    }
    return Exemplars.of(all);
  }

  private CounterDataPointSnapshot added(MetricMetadata metric, CounterDataPointSnapshot point) {
    Exemplars known = known(metric, point.getLabels());
    @Nullable Exemplar newest = point.getExemplar();
    if (newest == null && known.size() == 0) {
      return point;
    }
    Exemplar last = newest == null ? known.get(0) : newest;
    keep(metric, point.getLabels(), Exemplars.of(last));
    return new CounterDataPointSnapshot(
        point.getValue(), point.getLabels(), last, point.getCreatedTimestampMillis());
  }

  private Exemplars known(MetricMetadata metric, Labels labels) {
    return before.getOrDefault(metric.getName(), Map.of()).getOrDefault(labels, Exemplars.EMPTY);
  }

  private void keep(MetricMetadata metric, Labels labels, Exemplars exemplars) {
    now.computeIfAbsent(metric.getName(), any -> new HashMap<>()).put(labels, exemplars);
  }
}
