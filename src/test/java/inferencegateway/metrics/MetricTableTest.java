package inferencegateway.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.testing.MetricsTables;
import inferencegateway.testing.MetricsTables.Row;
import io.opentelemetry.api.common.AttributeKey;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of the docs and the one that metrics are made from are the same. */
class MetricTableTest {

  @Test
  void docsListEveryMetricWithItsLabelsAndMeaning() {
    assertEquals(
        Arrays.stream(Metric.values()).map(MetricTableTest::row).toList(),
        own(MetricsTables.english()));
  }

  @Test
  void chineseDocsListTheSameMetrics() {
    assertEquals(unnamed(MetricsTables.english()), unnamed(MetricsTables.chinese()));
  }

  private static List<Row> own(List<Row> rows) {
    return rows.stream()
        .filter(
            row -> row.name().startsWith("gen_ai") || row.name().startsWith("inference_gateway"))
        .toList();
  }

  private static List<Row> unnamed(List<Row> rows) {
    return rows.stream().map(row -> new Row(row.name(), row.kind(), row.labels(), "")).toList();
  }

  /** As OpenTelemetry's exporter names it for Prometheus. */
  private static Row row(Metric metric) {
    String unit =
        switch (metric.unit()) {
          case "s" -> "_seconds";
          case "By" -> "_bytes";
          default -> "";
        };
    String total = metric.kind().word().equals("counter") ? "_total" : "";
    return new Row(
        metric.id().replace('.', '_') + unit + total,
        metric.kind().word(),
        metric.labels().stream()
            .map(AttributeKey::getKey)
            .map(key -> key.replace('.', '_'))
            .collect(Collectors.toUnmodifiableSet()),
        metric.meaning());
  }
}
