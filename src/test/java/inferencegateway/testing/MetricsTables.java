package inferencegateway.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The tables of docs/metrics.md, by which everything that names a metric is held. */
public final class MetricsTables {

  /** One row; {@code labels} as Prometheus has them. */
  public record Row(String name, String kind, Set<String> labels, String meaning) {

    /** The names of the series that this metric has. */
    public Set<String> seriesNames() {
      return kind.equals("histogram")
          ? Set.of(name + "_bucket", name + "_count", name + "_sum")
          : Set.of(name);
    }
  }

  private MetricsTables() {}

  public static List<Row> english() {
    return rows(Path.of("docs/metrics.md"));
  }

  public static List<Row> chinese() {
    return rows(Path.of("docs/metrics.zh-CN.md"));
  }

  private static List<Row> rows(Path page) {
    List<Row> rows = new ArrayList<>();
    boolean inside = false;
    for (String line : lines(page)) {
      inside =
          inside ? !line.equals("<!-- metrics:end -->") : line.equals("<!-- metrics:begin -->");
      if (inside && line.startsWith("| `")) {
        rows.add(row(line));
      }
    }
    return rows;
  }

  private static List<String> lines(Path page) {
    try {
      return Files.readAllLines(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Row row(String line) {
    String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
    Set<String> labels =
        Arrays.stream(cells[2].split(", "))
            .filter(label -> !label.equals("–"))
            .map(MetricsTables::bare)
            .collect(Collectors.toUnmodifiableSet());
    return new Row(bare(cells[0]), cells[1], labels, cells[3]);
  }

  private static String bare(String quoted) {
    return quoted.replace("`", "");
  }
}
