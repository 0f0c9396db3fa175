package inferencegateway.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import inferencegateway.config.GatewayConfig;
import inferencegateway.health.Readiness;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.LlmProto;
import io.grpc.health.v1.HealthGrpc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example page, and the samples for HAProxy and nginx, fit the contracts and the gateway. */
final class BesideEnvoyTest {

  private static final Path PAGE = Path.of("envoy/web/call.js");
  private static final Path HAPROXY = Path.of("envoy/other/haproxy.cfg");
  private static final Path NGINX = Path.of("envoy/other/nginx.conf");

  @Test
  void pageHasTheFieldsOfTheProto() {
    List<MatchResult> messages =
        Pattern.compile("(?m)^  (\\w+): \\{ (.*) },$")
            .matcher(YamlFiles.text(PAGE))
            .results()
            .toList();
    assertEquals(3, messages.size());
    for (MatchResult message : messages) {
      Descriptor type = LlmProto.getDescriptor().findMessageTypeByName(message.group(1));
      assertNotNull(type, message.group(1));
      for (String field : message.group(2).split(", ")) {
        FieldDescriptor known = type.findFieldByName(field.split(": ")[0]);
        assertNotNull(known, field);
        assertEquals(known.getNumber(), Integer.parseInt(field.split(": ")[1]), field);
      }
    }
  }

  @Test
  void pageCallsAMethodThatEnvoyHasWithHeadersThatItAllows() {
    String text = YamlFiles.text(PAGE);
    assertTrue(text.contains("/" + LLMServiceGrpc.getCompleteStreamMethod().getFullMethodName()));
    String cors = EnvoyFile.plain().virtualHost().get("typed_per_filter_config").toString();
    for (String header :
        List.of("content-type", "x-grpc-web", "grpc-timeout", "x-request-id", "grpc-status")) {
      assertTrue(text.contains('"' + header + '"') && cors.contains(header), header);
    }
    assertTrue(text.contains("\"x-gateway-retry\"") && EnvoyTest.isOurs("x-gateway-retry"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"haproxy.cfg", "nginx.conf"})
  void samplesNameThePortAndTheServices(String name) {
    String text = YamlFiles.text(Path.of("envoy/other", name));
    int port = GatewayConfig.defaults().listener().listen().port();
    assertTrue(text.contains("gateway:" + port));
    Set<String> services =
        Pattern.compile("(?<=[ {])/([a-z]\\w*(?:\\.\\w+)+)/")
            .matcher(text)
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            InferenceServiceGrpc.SERVICE_NAME,
            LLMServiceGrpc.SERVICE_NAME,
            HealthGrpc.SERVICE_NAME),
        services);
    assertTrue(text.contains("/" + HealthGrpc.getCheckMethod().getFullMethodName()));
    long longest = GatewayConfig.defaults().call().maxCallTime().toSeconds();
    assertTrue(text.contains(longest + 30 + "s"), "a silence of " + longest + " s and some");
  }

  @Test
  void bytesOfHaproxysCheckAskForReadiness() {
    String bytes =
        Pattern.compile("send-binary ([0-9a-f]+)")
            .matcher(YamlFiles.text(HAPROXY))
            .results()
            .map(
                found ->
                    new String(
                        HexFormat.of().parseHex(found.group(1)), StandardCharsets.ISO_8859_1))
            .collect(Collectors.joining());
    assertTrue(bytes.contains("/" + HealthGrpc.getCheckMethod().getFullMethodName()));
    assertTrue(bytes.endsWith("readiness") && Readiness.READINESS_NAMES.contains("readiness"));
  }

  @Test
  void nginxTakesTheLargestRequest() {
    int largest = GatewayConfig.defaults().listener().maxRequestBytes() >> 20;
    assertTrue(YamlFiles.text(NGINX).contains("client_max_body_size " + (largest + 1) + "m;"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs/envoy.md", "docs/envoy.zh-CN.md"})
  void pagesNameFilesVariantsAndPortsThatThereAre(String page) {
    String text = YamlFiles.text(Path.of(page));
    for (String variant : EnvoyFile.VARIANTS) {
      assertTrue(text.contains("`" + variant + "`"), variant);
    }
    for (int listener : List.of(0, 1)) {
      String port = EnvoyFile.plain().listener(listener).findValue("port_value").asText();
      assertTrue(text.contains(port), port);
    }
    Pattern.compile("(?<![\\w/.])envoy/[\\w./-]*\\w")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(path -> !path.startsWith("envoy/envoy:"))
        .forEach(path -> assertTrue(Files.exists(Path.of(path)), path));
    Pattern.compile("`(x-[a-z-]+)`")
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .filter(header -> !header.startsWith("x-envoy-retry"))
        .forEach(header -> assertTrue(EnvoyTest.isOurs(header), header));
  }
}
