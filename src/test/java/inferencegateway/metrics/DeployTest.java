package inferencegateway.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import inferencegateway.testing.MetricsTables;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Dashboard and alerts name nothing that the docs, and so the gateway, do not have. */
class DeployTest {

  private static final Path RULES = Path.of("deploy/prometheus/alerts.yaml");
  private static final Path RULES_TRIED = Path.of("deploy/prometheus/alerts_test.yaml");
  private static final Path DASHBOARD = Path.of("deploy/grafana/inference-gateway.json");

  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'");
  private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*\\]");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring)\\s*\\(([^)]*)\\)|group_(?:left|right)");
  private static final Pattern SELECTOR = Pattern.compile("\\{([^}]*)\\}");
  private static final Pattern NAME = Pattern.compile("\\b([a-zA-Z_:][\\w:]*)\\b(?!\\s*\\()");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");

  /** Prometheus' own. */
  private static final Set<String> OWN_LABELS = Set.of("job", "instance", "le");

  private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset");

  @Test
  void alertsNameOnlyMetricsAndLabelsThatThereAre() throws IOException {
    List<JsonNode> rules = rules();
    assertTrue(rules.size() >= 15);
    for (JsonNode rule : rules) {
      assertKnown(rule.get("expr").asText());
      for (String key : List.of("summary", "description", "runbook")) {
        assertFalse(rule.get("annotations").get(key).asText().isBlank(), rule::toString);
      }
      assertTrue(
          Set.of("info", "warning", "critical").contains(rule.at("/labels/severity").asText()));
    }
  }

  @Test
  void everyAlertHasItsEntryInBothRunbooks() throws IOException {
    for (String page : List.of("docs/runbook.md", "docs/runbook.zh-CN.md")) {
      List<String> entries =
          Files.readAllLines(Path.of(page)).stream()
              .filter(line -> line.startsWith("## "))
              .map(line -> line.substring(3))
              .toList();
      assertEquals(rules().stream().map(rule -> rule.get("alert").asText()).toList(), entries);
    }
    for (JsonNode rule : rules()) {
      assertEquals(
          "docs/runbook.md#" + rule.get("alert").asText().toLowerCase(Locale.ROOT),
          rule.at("/annotations/runbook").asText());
    }
  }

  @Test
  void dashboardNamesOnlyMetricsAndLabelsThatThereAre() throws IOException {
    List<String> expressions = expressions(new ObjectMapper().readTree(DASHBOARD.toFile()));
    assertTrue(expressions.size() > 30);
    expressions.forEach(DeployTest::assertKnown);
  }

  private static List<String> expressions(JsonNode dashboard) {
    List<String> all = new ArrayList<>();
    dashboard.findValues("expr").forEach(expr -> all.add(expr.asText()));
    Pattern values = Pattern.compile("label_values\\((.*), (\\w+)\\)");
    dashboard
        .at("/templating/list")
        .forEach(
            variable -> {
              Matcher query = values.matcher(variable.at("/query/query").asText());
              if (query.matches()) {
                all.add("sum by (" + query.group(2) + ") (" + query.group(1) + ")");
              }
            });
    return all;
  }

  private static List<JsonNode> rules() throws IOException {
    JsonNode file = new ObjectMapper(new YAMLFactory()).readTree(RULES.toFile());
    List<JsonNode> rules = new ArrayList<>();
    file.get("groups").forEach(group -> group.get("rules").forEach(rules::add));
    return rules;
  }

  /** Takes what PromQL has beside names out, piece by piece. */
  private static void assertKnown(String expression) {
    String bare = STRING.matcher(expression).replaceAll("''");
    bare = RANGE.matcher(bare).replaceAll("");
    Set<String> labels = new HashSet<>();
    Matcher selectors = SELECTOR.matcher(bare);
    while (selectors.find()) {
      MATCHER.matcher(selectors.group(1)).results().forEach(each -> labels.add(each.group(1)));
    }
    bare = SELECTOR.matcher(bare).replaceAll("");
    Matcher groupings = GROUPING.matcher(bare);
    while (groupings.find()) {
      if (groupings.group(1) != null) {
        Stream.of(groupings.group(1).split(",")).map(String::strip).forEach(labels::add);
      }
    }
    labels.remove("");
    bare = GROUPING.matcher(bare).replaceAll("");
    Set<String> metrics = new HashSet<>();
    NAME.matcher(bare).results().map(each -> each.group(1)).forEach(metrics::add);
    metrics.removeAll(WORDS);
    assertFalse(metrics.isEmpty(), expression);
    assertAll(expression, metrics, labels);
  }

  private static void assertAll(String expression, Set<String> metrics, Set<String> labels) {
    Set<String> known = new HashSet<>(OWN_LABELS);
    for (String metric : metrics) {
      if (metric.equals("up")) {
        continue;
      }
      MetricsTables.Row row =
          MetricsTables.english().stream()
              .filter(each -> each.seriesNames().contains(metric))
              .findFirst()
              .orElseThrow(() -> new AssertionError("no metric " + metric + ": " + expression));
      known.addAll(row.labels());
    }
    assertTrue(known.containsAll(labels), () -> labels + " in " + expression);
  }

  /** A rule that was never seen to fire may be one that cannot. */
  @Test
  void everyAlertIsTriedFiringAndQuiet() throws IOException {
    JsonNode file = new ObjectMapper(new YAMLFactory()).readTree(RULES_TRIED.toFile());
    Set<String> fired = new HashSet<>();
    Set<String> quiet = new HashSet<>();
    for (JsonNode test : file.get("tests")) {
      test.get("alert_rule_test")
          .forEach(
              tried ->
                  (tried.get("exp_alerts").isEmpty() ? quiet : fired)
                      .add(tried.get("alertname").asText()));
      test.get("input_series").forEach(input -> assertKnown(input.get("series").asText()));
    }
    Set<String> all = new HashSet<>();
    rules().forEach(rule -> all.add(rule.get("alert").asText()));
    assertEquals(all, fired);
    assertEquals(all, quiet);
  }

  /** Where Prometheus' own tool is installed it has the last word. */
  @Test
  void prometheusTakesTheRulesAndTheyFire() throws Exception {
    if (!isInstalled("promtool")) {
      return;
    }
    assertEquals(0, run("promtool", "check", "rules", RULES.toString()));
    assertEquals(0, run("promtool", "test", "rules", RULES_TRIED.toString()));
  }

  private static boolean isInstalled(String tool) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
  }

  private static int run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    assertEquals(0, code, said);
    return code;
  }
}
