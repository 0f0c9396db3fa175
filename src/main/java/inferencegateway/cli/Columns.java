package inferencegateway.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * A table in plain text: columns as wide as their widest word. Long words are cut, but for those of
 * the first column: they are what a row is asked for by.
 */
final class Columns {

  private static final int WIDEST = 44;
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  Columns(String... titles) {
    rows.add(List.of(titles));
  }

  /** Where there is nothing to say, a dash stands. */
  void row(String... words) {
    List<String> row = new ArrayList<>();
    for (String word : words) {
      String shown = word.isEmpty() ? "-" : Printable.of(word);
      row.add(row.isEmpty() ? shown : shortened(shown));
    }
    rows.add(row);
  }

  private static String shortened(String word) {
    return word.length() <= WIDEST ? word : word.substring(0, WIDEST - 3) + "...";
  }

  boolean isEmpty() {
    return rows.size() == 1;
  }

  List<String> lines() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(i == 0 ? "" : GAP).append(row.get(i));
      line.append(" ".repeat(widths[i] - row.get(i).length()));
    }
    return line.toString().stripTrailing();
  }
}
