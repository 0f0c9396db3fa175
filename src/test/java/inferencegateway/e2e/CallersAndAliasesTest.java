package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import inferencegateway.auth.KeyHash;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A caller may be given a model by any name that the routes have for it. */
class CallersAndAliasesTest {

  private static final String BY_ALIAS = "igw_alias-0123456789abcdefghijklmno";
  private static final String BY_NAME = "igw_name-0123456789abcdefghijklmnop";

  @TempDir private Path folder;

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static String ask(LoneGateway gateway, String key, String model) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    CompleteRequest.Builder request = AskedMethod.complete("hello").toBuilder().setModel(model);
    try {
      LLMServiceGrpc.newBlockingStub(
              ClientInterceptors.intercept(
                  gateway.channel(), MetadataUtils.newAttachHeadersInterceptor(headers)))
          .complete(request.build());
      return "OK";
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() + ": " + e.getStatus().getDescription();
    }
  }

  @Test
  void theNameThatWasAskedForOrTheRoutesOwn() throws IOException {
    Simulator simulator = new Simulator(SimulatorConfig.defaults());
    simulator.start();
    String routes =
        """
        backends: [{name: b, url: "http://127.0.0.1:%d/v1"}]
        models:
          big: {targets: [{backends: [b], model: simulated-model}], aliases: [cheap]}
        """
            .formatted(simulator.port());
    String callers =
        """
        callers:
          - {name: by-alias, keys: ["%s"], models: [cheap]}
          - {name: by-name, keys: ["%s"], models: [big]}
        """
            .formatted(KeyHash.of(BY_ALIAS).text(), KeyHash.of(BY_NAME).text());
    Map<String, String> settings =
        Map.of("routing.file", write("routes", routes), "callers.file", write("callers", callers));
    try (simulator;
        LoneGateway gateway = LoneGateway.before(simulator.port(), settings).ready()) {
      assertEquals("OK", ask(gateway, BY_ALIAS, "cheap"));
      assertEquals(
          "PERMISSION_DENIED: caller by-alias may not use model big",
          ask(gateway, BY_ALIAS, "big"));
      assertEquals("OK", ask(gateway, BY_NAME, "big"));
      assertEquals("OK", ask(gateway, BY_NAME, "cheap"));
    }
  }
}
