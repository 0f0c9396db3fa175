package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SettingsProblemsTest {

  @TempDir private Path folder;

  @Test
  void everyProblemIsTold() throws IOException {
    String file = file("drain.puase: 5s\ngap-timeout: 60\nlog: {level: loud}\n");
    List<String> problems =
        problems(
            Map.of("config", file, "backend", "localhost:8000", "api-key-file", "/no/such/file"),
            Map.of("GATEWAY_ADMISSION_RUNNING", "0", "GATEWAY_TLS_KEY", "/no/such/key"));
    assertEquals(
        List.of(
            "drain.puase: is no setting; did you mean drain.pause? (file " + file + ", line 1)",
            "tls.key: must name a file that exists, was \"/no/such/key\" (environment"
                + " GATEWAY_TLS_KEY)",
            "tls.key: needs tls.cert to be set too, was \"/no/such/key\" (environment"
                + " GATEWAY_TLS_KEY)",
            "backend: must begin with http://, https:// or unix:, such as"
                + " http://localhost:8000/v1, was \"localhost:8000\" (flag --backend)",
            "api-key-file: must name a file that exists, was \"/no/such/file\" (flag"
                + " --api-key-file)",
            "gap-timeout: must be a number and a unit, such as 500ms, 30s, 5m or 1h, was \"60\""
                + " (file "
                + file
                + ", line 2)",
            "admission.running: must be 1 or more, was \"0\" (environment"
                + " GATEWAY_ADMISSION_RUNNING)",
            "log.level: must be one of error, warn, info, debug, was \"loud\" (file "
                + file
                + ", line 3)"),
        problems);
  }

  @Test
  void unknownFlagsNameTheNearestOne() {
    assertEquals(
        List.of("drain.puase: is no setting; did you mean drain.pause? (flag)"),
        problems(Map.of("drain.puase", "5s"), Map.of()));
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertRefused("first-token-timeout", "0s", "must be longer than 0s");
    assertRefused("drain.pause", "9999h", "must be at most a year");
    assertRefused("drain.pause", "-1s", "must be a number and a unit");
    assertRefused("drain.pause", "1.5s", "must be a number and a unit");
    assertRefused("health.failures", "0", "must be 1 or more");
    assertRefused("health.failures", "99999999999", "must be a whole number");
    assertRefused("connection.max-streams", "0", "must be 1 or more");
    assertRefused("connection.max-resets", "x", "must be a whole number");
    assertRefused("limits.max-request-bytes", "2GiB", "must be below 2GiB");
    assertRefused("limits.max-request-bytes", "4MB", "must be a size");
    assertRefused("reflection.enabled", "yes", "must be true or false");
    assertRefused("log.format", "xml", "must be one of text, json");
    assertRefused("model", " ", "must be a name on one line");
    assertRefused("listen", "[::]", "must be an address and a port");
    assertRefused("api-key-file", "/", "must name a file, not a directory");
  }

  @Test
  void settingsThatContradictEachOtherAreRefused() throws IOException {
    String cert = file("-----BEGIN CERTIFICATE-----");
    assertTrue(one(Map.of("tls.cert", cert)).contains("needs tls.key"));
    assertTrue(one(Map.of("tls.client-ca", cert)).contains("needs tls.cert"));
    assertTrue(
        one(Map.of("limits.metadata-soft", "65KiB"))
            .contains("must not be above limits.metadata-hard"));
    assertTrue(
        one(Map.of("listen", ":5", "health-listen", "[::]:5"))
            .contains("must not be the address of listen"));
  }

  @Test
  void keysOfTheWrongKindAreRefused() throws IOException {
    String encrypted = file("-----BEGIN ENCRYPTED PRIVATE KEY-----");
    assertTrue(
        String.join("\n", problems(Map.of("tls.key", encrypted), Map.of()))
            .contains("openssl pkcs8 -topk8"));
    String nothing = file("hello");
    assertTrue(
        String.join("\n", problems(Map.of("tls.cert", nothing), Map.of()))
            .contains("-----BEGIN CERTIFICATE-----"));
  }

  @Test
  void secretFilesHoldOnePlainLine() throws IOException {
    assertTrue(one(Map.of("api-key-file", file(" \n"))).contains("it is empty"));
    assertTrue(one(Map.of("api-key-file", file("a\nb"))).contains("on one line"));
    assertTrue(one(Map.of("api-key-file", file("schlüssel"))).contains("printable ASCII"));
    assertTrue(one(Map.of("api-key-file", file("a\0b"))).contains("printable ASCII"));
    assertTrue(one(Map.of("api-key-file", file("a".repeat(20_000)))).contains("at most 16 KiB"));
  }

  @Test
  void keysAndPasswordsAreNeverShown() {
    String key = one(Map.of("api-key-file", "sk-verysecret"));
    assertFalse(key.contains("verysecret"), key);
    String backend = one(Map.of("backend", "http://me:verysecret@host/v1"));
    assertFalse(backend.contains("verysecret"), backend);
    String query = one(Map.of("backend", "http://host/v1?key=verysecret"));
    assertFalse(query.contains("verysecret"), query);
    assertEquals("***", new Secret("verysecret").toString());
  }

  @Test
  void problemsKeepToTheirLine() {
    assertFalse(one(Map.of("listen", "a\nb\u001b[2J")).contains("\n"));
  }

  @Test
  void fileThatCannotBeReadIsTold() {
    assertTrue(one(Map.of("config", "/no/such.yaml")).contains("must name a file that exists"));
    assertTrue(one(Map.of("config", folder.toString())).contains("not a directory"));
  }

  @Test
  void duplicateKeysAreRefusedHoweverTheyAreWritten() throws IOException {
    assertTrue(inFile("gap-timeout: 1s\ngap-timeout: 2s\n").contains("set once"));
    assertTrue(inFile("drain.pause: 1s\ndrain:\n  pause: 2s\n").contains("set once"));
    assertTrue(inFile("drain: {pause: 1s}\ndrain: {pause: 2s}\n").contains("set once"));
  }

  @Test
  void shapesThatAreNoSettingsAreRefused() throws IOException {
    assertTrue(inFile("drain: 5s\n").contains("there are drain.pause, drain.grace"));
    assertTrue(inFile("drain.pause: [1s]\n").contains("not a list"));
    assertTrue(inFile("drain.pause:\n").contains("has no value"));
    assertTrue(inFile("drain.pause: {seconds: 5}\n").contains("drain.pause.seconds"));
    assertTrue(inFile("- drain.pause\n").contains("keys and values"));
    assertTrue(inFile("hello\n").contains("keys and values"));
    assertTrue(inFile("drain.pause: 1s\n---\ndrain.grace: 1s\n").contains("one document"));
  }

  @Test
  void syntaxErrorsNameTheLine() throws IOException {
    String problem = inFile("drain.pause: 1s\nlisten: [::]:50051\n");
    assertTrue(problem.contains("line 2"), problem);
    assertTrue(problem.contains("need quotes"), problem);
  }

  @Test
  void aliasesAreNotFollowed() throws IOException {
    assertTrue(inFile("drain: {pause: &a 1s, grace: *a}\n").contains("aliases"));
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
    }
    String file = file(bomb.toString());
    assertEquals(30, problems(Map.of("config", file), Map.of()).size());
  }

  @Test
  void hugeAndDeepFilesAreRefused() throws IOException {
    assertTrue(inFile("# " + "x".repeat(1 << 20)).contains("at most 1024 KiB"));
    assertTrue(inFile("a: " + "{a: ".repeat(5000)).contains("not valid YAML"));
  }

  @Test
  void emptyFileSetsNothing() throws IOException {
    for (String yaml : List.of("", "# nothing\n", "---\n", "{}\n", "\ufeff# from an editor\n")) {
      assertEquals(
          GatewayConfig.defaults(), Settings.read(Map.of("config", file(yaml)), Map.of()).config());
    }
  }

  @Test
  void recordsCheckThemselves() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> new AdmissionConfig(0, -1, true, 1, 1, null));
    assertEquals(
        "admission.running must be 1 or more; admission.waiting must be 0 or more",
        refused.getMessage());
  }

  private void assertRefused(String key, String text, String fault) {
    String problem = one(Map.of(key, text));
    assertTrue(problem.startsWith(key + ": " + fault), problem);
  }

  private String inFile(String yaml) throws IOException {
    return one(Map.of("config", file(yaml)));
  }

  private static String one(Map<String, String> flags) {
    List<String> problems = problems(flags, Map.of());
    assertEquals(1, problems.size(), problems.toString());
    return problems.get(0);
  }

  private static List<String> problems(Map<String, String> flags, Map<String, String> variables) {
    ConfigException e = assertThrows(ConfigException.class, () -> Settings.read(flags, variables));
    return e.problems().stream().map(Problem::toString).toList();
  }

  private String file(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "file", ".yaml"), text).toString();
  }
}
