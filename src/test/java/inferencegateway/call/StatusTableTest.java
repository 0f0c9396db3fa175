package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import inferencegateway.chat.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the README tells callers of statuses is what they get. */
class StatusTableTest {

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "README.zh-CN.md"})
  void readmeListsEveryReasonWithItsCodeAndRetry(String readme) throws IOException {
    boolean chinese = readme.contains("zh");
    String yes = chinese ? "是" : "yes";
    String no = chinese ? "否" : "no";
    List<String> expected =
        Arrays.stream(Reason.values())
            .map(
                reason -> {
                  Verdict verdict = Verdict.on(reason);
                  String retry = verdict.mayRetry() ? yes : no;
                  return "| `" + reason + "` | " + verdict.code() + " | " + retry + " |";
                })
            .toList();
    List<String> rows = rows(Files.readString(Path.of(readme)));
    assertEquals(
        expected,
        rows.stream().map(row -> row.substring(0, row.indexOf('|', nth(row)) + 1)).toList());
    rows.forEach(row -> assertFalse(row.substring(nth(row)).isBlank()));
  }

  private static List<String> rows(String text) {
    String table =
        text.substring(
            text.indexOf("<!-- statuses:begin -->"), text.indexOf("<!-- statuses:end -->"));
    return table.lines().filter(line -> line.startsWith("| `")).toList();
  }

  /** Where the third column begins. */
  private static int nth(String row) {
    int second = row.indexOf('|', 1);
    return row.indexOf('|', second + 1) + 1;
  }
}
