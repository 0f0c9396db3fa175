package inferencegateway.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoutingFileTest {

  private static final RoutingConfig.Initial INITIAL = new RoutingConfig.Initial(null, false, 256);

  @TempDir Path folder;

  private RoutingConfig read(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("routes.yaml"), text);
    return RoutingFile.read(file, INITIAL);
  }

  private List<String> problems(String text) {
    ConfigException refused = assertThrows(ConfigException.class, () -> read(text));
    return refused.problems().stream()
        .map(problem -> problem.toString().replace(folder.toString(), ""))
        .toList();
  }

  @Test
  void everyKeyReachesItsRecord() throws IOException {
    Path key = Files.writeString(folder.resolve("key"), "k");
    Path ca = Files.writeString(folder.resolve("ca"), "-----BEGIN CERTIFICATE-----\n");
    RoutingConfig config =
        read(
            """
            default-model: llama
            backends:
              - name: gpu-1
                url: https://gpus:8000/v1
                api-key-file: %s
                weight: 2
                running: 16
                lenient-finish: true
                each-address: true
                tls: {ca: %s, server-name: gpu.corp}
              - {name: gpu-2, url: "http://10.0.0.2:8000/v1"}
            models:
              llama:
                targets:
                  - {backends: [gpu-1, gpu-2], model: meta-llama/Llama, weight: 95}
                  - {backends: [gpu-2], weight: 5}
                aliases: [l, ll]
                fallback: [qwen]
                rescue: true
              qwen: {targets: [{backends: [gpu-2]}]}
            """
                .formatted(key, ca));
    assertEquals(
        List.of(
            new BackendConfig(
                "gpu-1",
                BackendUrl.parse("https://gpus:8000/v1"),
                key,
                new BackendTls(ca, null, null, "gpu.corp"),
                true,
                2,
                16,
                true),
            new BackendConfig(
                "gpu-2",
                BackendUrl.parse("http://10.0.0.2:8000/v1"),
                null,
                BackendTls.DEFAULT,
                false,
                1,
                256,
                false)),
        config.backends());
    assertEquals(
        List.of(
            new ModelConfig(
                "llama",
                List.of(
                    new ModelConfig.Target(List.of("gpu-1", "gpu-2"), "meta-llama/Llama", 95),
                    new ModelConfig.Target(List.of("gpu-2"), "llama", 5)),
                List.of("l", "ll"),
                List.of("qwen"),
                true),
            new ModelConfig(
                "qwen",
                List.of(new ModelConfig.Target(List.of("gpu-2"), "qwen", 1)),
                List.of(),
                List.of(),
                false)),
        config.models());
    assertEquals("llama", config.defaultModel());
    assertEquals(config, config.reread());
  }

  @Test
  void everythingThatIsWrongIsToldAtOnceWithItsPlace() {
    List<String> problems =
        problems(
            """
            default-model: none
            backend: []
            backends:
              - {name: a@b, url: "http://a/v1"}
              - {name: a, url: "ftp://a"}
              - {name: b, url: "http://b/v1", weight: 0, wieght: 1}
              - {name: b, url: "http://b/v1", running: many, tls: {}, each-address: perhaps}
              - {name: c, url: "http://c/v1", tls: {server-name: c}, api-key-file: /no/such}
            models:
              m: {targets: [{backends: [x]}], aliases: [n]}
              n: {targets: []}
              o: {targets: [{backends: [b, b], weight: -1}], fallback: [nobody]}
            """);
    assertContains(problems, "backends[0].name: must be a name of letters");
    assertContains(problems, "backends[1].url: must be an address such as");
    assertContains(problems, "backends[2].weight: must be from 1 to 10000");
    assertContains(problems, "backends[2].wieght: is not known here; did you mean weight?");
    assertContains(problems, "backends[3].running: must be a whole number");
    assertContains(problems, "backends[3].each-address: must be true or false");
    assertContains(problems, "backends[4].tls: needs a url of https://");
    assertContains(problems, "backends[4].api-key-file: must name a file that exists");
    assertContains(problems, "backend: is not known here; did you mean backends?");
    assertContains(problems, "default-model: must be one of the models");
    assertContains(problems, "models.m.targets: must name backends of this file; there is no x");
    assertContains(problems, "models.m.aliases: must be new names; n is taken");
    assertContains(problems, "models.n.targets: must have at least one with a weight above 0");
    assertContains(problems, "models.o.targets[0].backends: must name each once");
    assertContains(problems, "models.o.targets[0].weight: must be from 0 to 10000");
    assertContains(problems, "models.o.fallback: must name models of this file; there is no nob");
    problems.forEach(problem -> assertTrue(problem.startsWith("routing.file: "), problem));
  }

  private static void assertContains(List<String> problems, String words) {
    assertTrue(
        problems.stream().anyMatch(problem -> problem.contains(words)),
        words + " in\n" + String.join("\n", problems));
  }

  @Test
  void namesOfBackendsAreTheirOwn() {
    assertContains(
        problems("backends: [{name: a, url: http://a/v1}, {name: a, url: http://b/v1}]"),
        "backends[1].name: must be its own");
  }

  @Test
  void fallbackIsAnotherModel() {
    assertContains(
        problems(
            """
            backends: [{name: a, url: http://a/v1}]
            models:
              x: {targets: [{backends: [a]}], aliases: [ex], fallback: [ex]}
            """),
        "models.x.fallback: must name other models; ex is this one");
  }

  @Test
  void modelsMayStandInForEachOther() throws IOException {
    assertEquals(
        3,
        read("""
            backends: [{name: a, url: http://a/v1}]
            models:
              x: {targets: [{backends: [a]}], fallback: [y]}
              y: {targets: [{backends: [a]}], fallback: [zed]}
              z: {targets: [{backends: [a]}], aliases: [zed], fallback: [x]}
            """)
            .models()
            .size());
  }

  @Test
  void rescueThatCannotBeIsWarnedAbout() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("rescue.yaml"),
            """
            backends:
              - {name: a, url: http://a/v1}
              - {name: b, url: http://b/v1, each-address: true}
            models:
              x: {targets: [{backends: [a]}], rescue: true}
              y: {targets: [{backends: [b]}], rescue: true}
              z: {targets: [{backends: [a, b]}], rescue: true}
            """);
    List<String> warnings =
        Settings.read(Map.of("routing.file", file.toString(), "listen", "127.0.0.1:1"), Map.of())
            .warnings();
    assertEquals(1, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("model x: rescue has no effect"), warnings.get(0));
  }

  @Test
  void oddFilesAreRefused() {
    assertContains(problems(""), "must hold keys and values");
    assertContains(problems("backends: [}"), "is not valid YAML");
    assertContains(problems("models: {}"), "backends: must list at least one");
    assertContains(problems("backends: &a [*a]"), "aliases are not read");
  }
}
