package inferencegateway.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.util.Collection;

/** Sends metrics, and says when they are not taken. */
final class WatchedMetricExporter implements MetricExporter {

  private final MetricExporter exporter;
  private final ExportWatch watch;

  /**
   * @param to its address, for people
   */
  WatchedMetricExporter(MetricExporter exporter, String to) {
    this.exporter = exporter;
    this.watch = new ExportWatch("Metrics", to, "The next export has the sums of all");
  }

  @Override
  public CompletableResultCode export(Collection<MetricData> metrics) {
    return watch.watch(exporter.export(metrics), 0);
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType type) {
    return exporter.getAggregationTemporality(type);
  }

  @Override
  public Aggregation getDefaultAggregation(InstrumentType type) {
    return exporter.getDefaultAggregation(type);
  }

  @Override
  public MemoryMode getMemoryMode() {
    return exporter.getMemoryMode();
  }

  @Override
  public String toString() {
    return exporter.toString();
  }
}
