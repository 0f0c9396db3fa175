package inferencegateway.telemetry;

import inferencegateway.server.Page;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Prometheus reads: text, OpenMetrics with exemplars or protobuf, whichever it asks for.
 * Thread: one at a time.
 */
final class MetricsPage implements Page {

  private final PrometheusMetricReader reader;
  private final KeptExemplars exemplars = new KeptExemplars();
  private final ExpositionFormats formats = ExpositionFormats.init();

  /** Of the page before: the next one will be about as long. */
  private int length = 64 * 1024;

  MetricsPage(PrometheusMetricReader reader) {
    this.reader = reader;
  }

  @Override
  public Moment read() {
    MetricSnapshots now = exemplars.added(reader.collect());
    Map<String, Content> written = new HashMap<>();
    return accept -> {
      @Nullable String asked = accept.isEmpty() ? null : accept;
      ExpositionFormatWriter format = formats.findWriter(asked);
      EscapingScheme escaping = EscapingScheme.fromAcceptHeader(asked);
      String type = format.getContentType() + escaping.toHeaderFormat();
      return written.computeIfAbsent(type, any -> content(type, format, escaping, now));
    };
  }

  private Content content(
      String type, ExpositionFormatWriter format, EscapingScheme escaping, MetricSnapshots now) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(length + length / 8);
    try {
      format.write(out, now, escaping);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    length = out.size();
    return new Content(type, out.toByteArray());
  }
}
