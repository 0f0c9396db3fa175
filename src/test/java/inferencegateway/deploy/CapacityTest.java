package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.GatewayConfig;
import inferencegateway.config.Setting;
import inferencegateway.config.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The numbers of docs/capacity.md are the gateway's, in both languages. */
final class CapacityTest {

  private static final Path ENGLISH = Path.of("docs/capacity.md");
  private static final List<Path> PAGES = List.of(ENGLISH, Path.of("docs/capacity.zh-CN.md"));
  private static final Pattern ROW = Pattern.compile("\\| `([a-z][a-z.-]+)` \\| (.*?) \\| .*");
  private static final Pattern IN_WORDS = Pattern.compile("`([a-z][a-z.-]+)`[ (（]+`([0-9]\\w*)`");

  private final Map<String, Setting<?>> settings =
      Settings.all().stream().collect(Collectors.toMap(Setting::key, Function.identity()));

  @Test
  void tableHasEveryTimeLimitWithItsDefault() {
    Set<String> durations =
        settings.values().stream()
            .filter(setting -> setting.label().contains("duration"))
            .map(Setting::key)
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(durations.size() > 15);
    for (Path page : PAGES) {
      Map<String, String> rows = rows(page);
      assertEquals(durations, new TreeSet<>(rows.keySet()), page::toString);
      rows.forEach(
          (key, told) ->
              assertEquals(
                  settings.get(key).defaultText(),
                  told.replace("`", "").replace("无", "none"),
                  page + ": " + key));
    }
  }

  @Test
  void pagesHaveTheSameRows() {
    assertEquals(List.copyOf(rows(ENGLISH).keySet()), List.copyOf(rows(PAGES.get(1)).keySet()));
    assertEquals(inTable(ENGLISH).size(), inTable(PAGES.get(1)).size());
  }

  @Test
  void defaultsNamedInTheTextAreRight() {
    for (Path page : PAGES) {
      Matcher named = IN_WORDS.matcher(YamlFiles.text(page));
      int seen = 0;
      while (named.find()) {
        if (settings.containsKey(named.group(1))) {
          seen++;
          assertEquals(
              settings.get(named.group(1)).defaultText(),
              named.group(2),
              page + ": " + named.group(1));
        }
      }
      assertTrue(seen >= 9, page::toString);
    }
  }

  /** What the table's last column asks for, of the defaults. */
  @Test
  void defaultsAreInTheOrderThatTheTableAsksFor() {
    GatewayConfig config = GatewayConfig.defaults();
    Duration call = config.call().maxCallTime();
    assertTrue(config.call().firstTokenTimeout().compareTo(call) < 0);
    assertTrue(config.call().gapTimeout().compareTo(config.call().firstTokenTimeout()) < 0);
    assertTrue(config.health().timeout().compareTo(config.health().interval()) < 0);
    assertTrue(config.upstream().idle().compareTo(Duration.ofSeconds(5)) < 0, "vLLM's");
    assertTrue(config.drain().grace().compareTo(call) <= 0);
  }

  private static Map<String, String> rows(Path page) {
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : inTable(page)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.put(row.group(1), row.group(2));
      }
    }
    return rows;
  }

  private static List<String> inTable(Path page) {
    return YamlFiles.text(page)
        .lines()
        .dropWhile(line -> !line.equals("<!-- timeouts:begin -->"))
        .takeWhile(line -> !line.equals("<!-- timeouts:end -->"))
        .filter(line -> line.startsWith("|"))
        .toList();
  }
}
