package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ReadmeTableTest {

  private static final String BEGIN = "<!-- settings:begin -->";
  private static final String END = "<!-- settings:end -->";

  @Test
  void readmeListsEverySettingWithItsDefault() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    String table =
        readme.substring(readme.indexOf(BEGIN) + BEGIN.length(), readme.indexOf(END)).strip();
    assertEquals(expected(), table);
  }

  @Test
  void chineseReadmeListsTheSameKeysAndDefaults() throws IOException {
    String readme = Files.readString(Path.of("README.zh-CN.md"));
    assertEquals(
        Settings.all().stream()
            .map(
                s ->
                    "| `%s` | %s |"
                        .formatted(s.key(), quoted(s.defaultText()).replace("none", "无")))
            .toList(),
        readme
            .substring(readme.indexOf(BEGIN), readme.indexOf(END))
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.indexOf('|', line.indexOf('|', 1) + 1) + 1))
            .toList());
  }

  private static String expected() {
    String rows =
        Settings.all().stream()
            .map(
                setting ->
                    "| `%s` | %s | %s |"
                        .formatted(
                            setting.key(), quoted(setting.defaultText()), setting.description()))
            .collect(Collectors.joining("\n"));
    return "| Key | Default | What it sets |\n|---|---|---|\n" + rows;
  }

  private static String quoted(String text) {
    return text.equals("none") ? text : '`' + text + '`';
  }
}
