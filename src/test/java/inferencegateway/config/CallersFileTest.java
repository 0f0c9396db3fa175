package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.auth.Caller;
import inferencegateway.auth.CallerLimits;
import inferencegateway.auth.Callers;
import inferencegateway.auth.Identity;
import inferencegateway.auth.KeyHash;
import inferencegateway.auth.Listed;
import inferencegateway.auth.Presented;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CallersFileTest {

  private static final String KEY = "igw_0123456789abcdefghijklmnop";

  @TempDir private Path folder;

  private Path file(String yaml) throws IOException {
    return Files.writeString(folder.resolve("callers.yaml"), yaml);
  }

  private List<String> problems(String yaml) throws IOException {
    Path file = file(yaml);
    return assertThrows(ConfigException.class, () -> CallersFile.read(file)).problems().stream()
        .map(problem -> problem.toString().replace("file " + file + ", ", ""))
        .toList();
  }

  @Test
  void everythingThatCanBeSaidOfACaller() throws IOException {
    List<Listed> callers =
        CallersFile.read(
            file(
                """
                callers:
                  - name: shop
                    keys: ["%s", "%s"]
                    spiffe: ["spiffe://corp/ns/shop/*"]
                    subjects: ["CN=shop,O=Corp"]
                    models: ["llama-*", qwen]
                    methods: ["llm.v1.LLMService/*"]
                    priority: -3
                    concurrency: 64
                    waiting: 0
                    requests-per-minute: 6000
                    tokens-per-minute: 1000000
                  - name: batch
                    keys: ["%s"]
                """
                    .formatted(hash(KEY), hash(KEY + 2), hash(KEY + 3))));
    Listed shop = callers.get(0);
    assertEquals(2, shop.keys().size());
    assertEquals(1, shop.spiffe().size());
    assertEquals(1, shop.subjects().size());
    Caller caller = shop.caller();
    assertEquals("shop", caller.name());
    assertEquals(new CallerLimits(-3, 64, 0, 6000, 1_000_000), caller.limits());
    assertTrue(caller.mayUse("llama-3") && caller.mayUse("qwen"));
    assertFalse(caller.mayUse("qwen2") || caller.mayUse(""));
    assertTrue(caller.mayCall("llm.v1.LLMService/Complete"));
    assertFalse(caller.mayCall("inference.InferenceService/Generate"));
    Caller batch = callers.get(1).caller();
    assertEquals(CallerLimits.NONE, batch.limits());
    assertTrue(batch.mayUse("") && batch.mayUse("x") && batch.mayCall("a/b"));
  }

  private static String hash(String key) {
    return KeyHash.of(key).text();
  }

  @Test
  void everyFaultIsToldWithItsPlaceAndNoSecret() throws IOException {
    List<String> problems =
        problems(
            """
            callers:
              - name: "a b"
                keys: ["my-own-secret-key", [x]]
                speed: 3
              - keys: ["%1$s"]
                spiffe: ["spiffe://corp/a*"]
                subjects: ["shop"]
                models: ["a*b"]
                methods: ["Complete"]
                priority: 11
                concurrency: 0
                tokens-per-minute: many
              - name: b
              - name: b
                keys: ["%1$s"]
                models: llama
              - just-a-name
            callerz: []
            """
                .formatted(hash(KEY)));
    assertEquals(
        List.of(
            "callers.file: callers[4]: must be keys and values, not one value (line 17)",
            "callers.file: callers[0].name: must be letters, digits and . _ @ / -, 64 at most (line"
                + " 2)",
            "callers.file: callers[0].keys[0]: must be sha256: and 64 hexadecimal digits, as"
                + " inference-gateway hash-key prints it (line 3)",
            "callers.file: callers[0].keys[1]: must be one value, not a list (line 3)",
            "callers.file: callers[0].speed: is not known here (line 4)",
            "callers.file: callers[1]: must have name (line 5)",
            "callers.file: callers[1].spiffe[0]: must be a SPIFFE ID such as"
                + " spiffe://corp/ns/web/sa/shop, or end with /* for all below (line 6)",
            "callers.file: callers[1].subjects[0]: must be a subject such as CN=shop,O=Corp (line"
                + " 7)",
            "callers.file: callers[1].models[0]: must be a model's name, with a * at most at its end"
                + " (line 8)",
            "callers.file: callers[1].methods[0]: must be as llm.v1.LLMService/Complete,"
                + " llm.v1.LLMService/* or \"*\" (line 9)",
            "callers.file: callers[1].priority: must be from -10 to 10 (line 10)",
            "callers.file: callers[1].concurrency: must be 1 or more (line 11)",
            "callers.file: callers[1].tokens-per-minute: must be a whole number (line 12)",
            "callers.file: callers[2].keys: must be there, or spiffe, or subjects: it could not be"
                + " told otherwise (line 13)",
            "callers.file: callers[3].name: must not be there twice: each name is of one caller"
                + " (line 14)",
            "callers.file: callers[3].keys[0]: must not be there twice: each credential is of one"
                + " caller (line 15)",
            "callers.file: callers[3].models: must be a list, not one value (line 16)",
            "callers.file: callerz: is not known here; did you mean callers? (line 18)"),
        problems);
    assertFalse(problems.toString().contains("my-own"));
  }

  @Test
  void filesThatAreNoListOfCallersAreRefused() throws IOException {
    assertEquals(
        List.of("callers.file: must hold keys and values (line 1)"), problems("# nothing\n"));
    assertEquals(
        List.of("callers.file: callers: must list one caller at least: nobody could call (line 1)"),
        problems("callers: []"));
    assertEquals(
        List.of(
            "callers.file: a: must be set once (line 2)",
            "callers.file: callers: must list one caller at least: nobody could call (line 1)",
            "callers.file: a: is not known here; did you mean callers? (line 1)"),
        problems("a: 1\na: 2\n").stream()
            .map(p -> p.replace("here (", "here; did you mean callers? ("))
            .toList());
    assertTrue(problems("callers: [").get(0).startsWith("callers.file: is not valid YAML"));
    assertTrue(
        problems("callers:\n- &a {name: a, subjects: [CN=a]}\n- *a\n")
            .contains(
                "callers.file: callers[1]: must be written out; aliases are not read (line 3)"));
    ConfigException gone =
        assertThrows(ConfigException.class, () -> CallersFile.read(folder.resolve("gone")));
    assertTrue(String.valueOf(gone.getMessage()).contains("must name a file that exists"));
  }

  @Test
  void problemsAreToldTogetherWithThoseOfTheSettings() throws IOException {
    Path file = file("callers: [{name: a, keys: [x]}]");
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () ->
                Settings.read(
                    Map.of("callers.file", file.toString(), "drain.pause", "soon"), Map.of()));
    assertEquals(
        2,
        e.problems().stream()
            .map(Problem::key)
            .filter(k -> k.equals("drain.pause") || k.contains("keys[0]"))
            .count());
  }

  @Test
  void badContentLeavesTheOldInForce() throws IOException {
    CallersFile file =
        CallersFile.open(file("callers: [{name: a, keys: [\"" + hash(KEY) + "\"]}]"));
    assertEquals("a", who(file.callers()));
    file("callers: [{name: b, keys: [oops]}]");
    assertThrows(ConfigException.class, file::reload);
    assertEquals("a", who(file.callers()));
    file("callers: [{name: b, keys: [\"" + hash(KEY) + "\"]}]");
    file.reload();
    assertEquals("b", who(file.callers()));
  }

  private static String who(Callers callers) {
    return ((Identity.Known) callers.identify(new Presented(List.of("Bearer " + KEY), null, "h")))
        .caller()
        .name();
  }

  @Test
  void openPortIsWarnedAboutUnlessItIsMeantOrClosed() throws IOException {
    String open = "may use the backend";
    assertTrue(warnings(Map.of()).contains(open));
    assertTrue(warnings(Map.of("listen", "gateway.corp:1")).contains(open));
    assertTrue(warnings(Map.of("listen", "0.0.0.0:1")).contains(open));
    for (String host : List.of("127.0.0.1", "127.1.2.3", "[::1]", "localhost")) {
      assertEquals("", warnings(Map.of("listen", host + ":1")), host);
    }
    assertEquals("", warnings(Map.of("allow-any-caller", "true")));
    Path keys = file("callers: [{name: a, keys: [\"" + hash(KEY) + "\"]}]");
    Map<String, String> listed = Map.of("callers.file", keys.toString());
    assertTrue(warnings(listed).contains("keys reach [::]:50051 unencrypted"), warnings(listed));
    Map<String, String> local = new HashMap<>(listed);
    local.put("listen", "127.0.0.1:1");
    assertEquals("", warnings(local));
  }

  @Test
  void callersThatCannotShowTheirCertificateAreWarnedAbout() throws IOException {
    Path file = file("callers: [{name: a, subjects: [CN=a]}]");
    assertTrue(
        warnings(Map.of("callers.file", file.toString()))
            .contains("a is known by certificate only"));
  }

  private static String warnings(Map<String, String> flags) {
    return String.join("\n", Settings.read(flags, Map.of()).warnings());
  }
}
