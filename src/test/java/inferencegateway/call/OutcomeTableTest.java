package inferencegateway.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import inferencegateway.chat.Reason;
import inferencegateway.telemetry.CallOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose a failure is: the docs say what the code does. */
class OutcomeTableTest {

  private static final Pattern WORD = Pattern.compile("`(\\w+)`");

  private record Row(String outcome, Set<String> reasons) {}

  @ParameterizedTest
  @ValueSource(strings = {"docs/metrics.md", "docs/metrics.zh-CN.md"})
  void docsListEveryOutcomeWithItsReasons(String page) throws IOException {
    List<Row> expected =
        Arrays.stream(CallOutcome.values())
            .map(outcome -> new Row(outcome.word(), reasonsOf(outcome)))
            .toList();
    assertEquals(expected, rows(Files.readString(Path.of(page))));
  }

  private static Set<String> reasonsOf(CallOutcome outcome) {
    return Arrays.stream(Reason.values())
        .filter(
            reason ->
                Stream.of(true, false)
                    .anyMatch(isOffered -> Verdict.outcome(reason, isOffered) == outcome))
        .map(Reason::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Row> rows(String text) {
    String table =
        text.substring(
            text.indexOf("<!-- outcomes:begin -->"), text.indexOf("<!-- outcomes:end -->"));
    return table.lines().filter(line -> line.startsWith("| `")).map(OutcomeTableTest::row).toList();
  }

  private static Row row(String line) {
    String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
    assertFalse(cells[1].isBlank(), line);
    return new Row(words(cells[0]).first(), words(cells[2]));
  }

  private static TreeSet<String> words(String cell) {
    return WORD.matcher(cell)
        .results()
        .map((MatchResult word) -> word.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void aModelIsTheBackendsMatterOnlyWhereSomebodyHasNamedIt() {
    assertEquals(CallOutcome.INVALID, Verdict.outcome(Reason.MODEL_NOT_FOUND, false));
    assertEquals(CallOutcome.UPSTREAM_4XX, Verdict.outcome(Reason.MODEL_NOT_FOUND, true));
  }
}
