package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the workflows may do, and whose code they run. */
final class WorkflowsTest {

  private static final List<Path> WORKFLOWS = YamlFiles.files(Path.of(".github/workflows"), ".yml");

  private static final Pattern USES = Pattern.compile("(?m)^\\s*(?:- )?uses:\\s*(\\S+)(.*)$");
  private static final Pattern PINNED =
      Pattern.compile("[\\w.-]+/[\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+");

  /** Files of the repository that steps name. */
  private static final Pattern FILE =
      Pattern.compile("(?:^|[\\s\"'=])((?:\\.ci|clients|docker|deploy|proto)/[\\w./-]+)");

  /** Jobs that may do more than read, and what. */
  private static final Map<String, Set<String>> MAY_WRITE =
      Map.of(
          "release.yml image", Set.of("packages"),
          "release.yml image-index", Set.of("packages", "id-token", "attestations"),
          "release.yml publish-python", Set.of("id-token"),
          "release.yml publish-node", Set.of("id-token"),
          "release.yml release", Set.of("contents", "id-token", "attestations"));

  @Test
  void actionsArePinnedByCommit() {
    int seen = 0;
    for (Path workflow : WORKFLOWS) {
      Matcher uses = USES.matcher(YamlFiles.text(workflow));
      while (uses.find()) {
        seen++;
        String action = uses.group(1);
        if (action.startsWith("./")) {
          assertTrue(Files.isRegularFile(Path.of(action)), workflow + ": " + action);
        } else {
          String line = (action + uses.group(2)).strip();
          assertTrue(PINNED.matcher(line).matches(), workflow + ": " + line);
        }
      }
    }
    assertTrue(seen > 15);
  }

  @Test
  void anActionHasOneVersionEverywhere() {
    Map<String, String> versions = new HashMap<>();
    for (Path workflow : WORKFLOWS) {
      Matcher uses = USES.matcher(YamlFiles.text(workflow));
      while (uses.find()) {
        String action = uses.group(1);
        int at = action.indexOf('@');
        if (at > 0) {
          String before = versions.putIfAbsent(action.substring(0, at), action);
          assertTrue(before == null || before.equals(action), action);
        }
      }
    }
  }

  @Test
  void workflowsReadOnlyAndOnlyJobsThatPublishMayWrite() {
    for (Path workflow : WORKFLOWS) {
      JsonNode file = YamlFiles.read(workflow);
      assertEquals(
          "{\"contents\":\"read\"}", file.path("permissions").toString(), workflow::toString);
      for (Map.Entry<String, JsonNode> job : file.get("jobs").properties()) {
        String name = workflow.getFileName() + " " + job.getKey();
        assertEquals(
            new TreeSet<>(MAY_WRITE.getOrDefault(name, Set.of())), written(job.getValue()), name);
      }
    }
  }

  private static Set<String> written(JsonNode job) {
    Set<String> written = new TreeSet<>();
    for (Map.Entry<String, JsonNode> each : job.path("permissions").properties()) {
      if (!each.getValue().asText().equals("read")) {
        written.add(each.getKey());
      }
    }
    return written;
  }

  @Test
  void nothingIsPublishedBeforeAllTestsPassed() {
    JsonNode jobs = YamlFiles.read(Path.of(".github/workflows/release.yml")).get("jobs");
    for (String job : MAY_WRITE.keySet()) {
      assertTrue(needed(jobs, job.substring("release.yml ".length())).contains("verify"), job);
    }
  }

  private static Set<String> needed(JsonNode jobs, String job) {
    Set<String> all = new TreeSet<>();
    JsonNode needs = jobs.get(job).path("needs");
    for (JsonNode each : needs.isTextual() ? List.of(needs) : YamlFiles.items(needs)) {
      all.add(each.asText());
      all.addAll(needed(jobs, each.asText()));
    }
    return all;
  }

  @Test
  void jobsEndSomeTimeAndLeaveNoCredentialsBehind() {
    for (Path workflow : WORKFLOWS) {
      for (JsonNode job : YamlFiles.items(YamlFiles.read(workflow).get("jobs"))) {
        assertTrue(job.has("uses") || job.has("timeout-minutes"), workflow::toString);
        for (JsonNode step : YamlFiles.items(job.path("steps"))) {
          if (step.path("uses").asText().startsWith("actions/checkout@")) {
            assertFalse(step.at("/with/persist-credentials").asBoolean(true), workflow::toString);
          }
        }
      }
    }
  }

  @Test
  void filesThatStepsNameAreThere() {
    Set<String> seen = new TreeSet<>();
    for (Path workflow : WORKFLOWS) {
      for (JsonNode run : YamlFiles.read(workflow).findValues("run")) {
        Matcher named = FILE.matcher(run.asText());
        while (named.find()) {
          seen.add(named.group(1));
        }
      }
    }
    assertTrue(seen.contains(".ci/run") && seen.contains("docker/Dockerfile"), seen::toString);
    seen.forEach(file -> assertTrue(Files.exists(Path.of(file)), file));
  }
}
