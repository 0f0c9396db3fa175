package inferencegateway.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;

/** Sends spans, and says when they are not taken. */
final class WatchedExporter implements SpanExporter {

  private final SpanExporter exporter;
  private final ExportWatch watch;

  /**
   * @param to its address, for people
   */
  WatchedExporter(SpanExporter exporter, String to) {
    this.exporter = exporter;
    this.watch =
        new ExportWatch("Spans", to, "They are dropped and counted until it takes them again");
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    return watch.watch(exporter.export(spans), spans.size());
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
  public String toString() {
    return exporter.toString();
  }
}
