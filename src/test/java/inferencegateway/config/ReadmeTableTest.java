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
