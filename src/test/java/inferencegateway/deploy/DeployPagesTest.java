package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages on ways to deploy, in both languages. */
final class DeployPagesTest {

  private static final Pattern CODE = Pattern.compile("(?s)```sh\\n(.*?)```");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^):]+)\\)");
  private static final Pattern NUMBER = Pattern.compile("\\d[\\d,.]*\\d|\\d");

  @ParameterizedTest
  @ValueSource(strings = {"docker", "bare-host", "envoy", "kubernetes", "capacity"})
  void bothLanguagesHaveTheSameCommandsAndNumbers(String page) throws IOException {
    String english = Files.readString(Path.of("docs", page + ".md"));
    String chinese = Files.readString(Path.of("docs", page + ".zh-CN.md"));
    assertEquals(found(CODE, english), found(CODE, chinese));
    assertEquals(sorted(NUMBER, english), sorted(NUMBER, chinese));
  }

  @ParameterizedTest
  @ValueSource(strings = {"docker", "bare-host", "envoy", "kubernetes", "capacity"})
  void endsWithThreeCommands(String page) throws IOException {
    List<String> blocks = found(CODE, Files.readString(Path.of("docs", page + ".md")));
    assertEquals(3, blocks.get(blocks.size() - 1).lines().count());
  }

  @ParameterizedTest
  @ValueSource(strings = {"docker", "bare-host", "envoy", "kubernetes", "capacity"})
  void linksLeadSomewhere(String page) throws IOException {
    for (String file : List.of(page + ".md", page + ".zh-CN.md")) {
      for (String link : found(LINK, Files.readString(Path.of("docs", file)))) {
        assertTrue(Files.exists(Path.of("docs", link)), file + ": " + link);
      }
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(each -> each.group(each.groupCount())).toList();
  }

  private static List<String> sorted(Pattern pattern, String text) {
    return found(pattern, text).stream().sorted().toList();
  }
}
