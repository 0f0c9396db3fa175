package inferencegateway.cli;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Optional;

/** Three calls to paste into another terminal. */
final class PasteCalls {

  private static final String USUAL_JAR = "target/inference-gateway.jar";
  private static final String PYTHON = "/tmp/inference-gateway-demo";

  private PasteCalls() {}

  /** Lines at the margin, so that they can be pasted as they stand. */
  static List<String> to(String target) {
    String jar = jar();
    return List.of(
        "",
        "Now you, from another terminal in this directory (Ctrl-C here ends the demo).",
        "",
        "# Its own client:",
        "java -jar " + jar + " generate --target " + target + " \"Why is the sky blue?\"",
        "",
        "# grpcurl:",
        "grpcurl -plaintext -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}' "
            + target
            + " llm.v1.LLMService/CompleteStream",
        "",
        "# Python:",
        "python3 -m venv %s && %s/bin/pip install -q grpcio-tools".replace("%s", PYTHON),
        protoc(jar),
        program(target));
  }

  /** The contract lies in the repository, and at the root of the jar. */
  private static String protoc(String jar) {
    boolean inRepository = Files.exists(Path.of("proto", "llm.proto"));
    String unpack = inRepository ? "" : "unzip -oq " + jar + " llm.proto -d " + PYTHON + " && ";
    return unpack
        + "%s/bin/python -m grpc_tools.protoc -I %p --python_out=%s --grpc_python_out=%s llm.proto"
            .replace("%p", inRepository ? "proto" : PYTHON)
            .replace("%s", PYTHON);
  }

  private static String program(String target) {
    return """
        PYTHONPATH=%s %s/bin/python -c '
        import grpc, llm_pb2, llm_pb2_grpc
        stub = llm_pb2_grpc.LLMServiceStub(grpc.insecure_channel("%t"))
        message = llm_pb2.Message(role="user", content="Hello")
        for chunk in stub.CompleteStream(llm_pb2.CompleteRequest(messages=[message]), timeout=60):
            print(chunk.token, end="", flush=True)
        print()'"""
        .replace("%s", PYTHON)
        .replace("%t", target);
  }

  /** Where this program lies, as it would be typed from here. */
  private static String jar() {
    return Optional.ofNullable(PasteCalls.class.getProtectionDomain().getCodeSource())
        .flatMap(PasteCalls::path)
        .filter(path -> path.toString().endsWith(".jar"))
        .map(PasteCalls::fromHere)
        .orElse(USUAL_JAR);
  }

  private static Optional<Path> path(CodeSource source) {
    try {
      return Optional.of(Path.of(source.getLocation().toURI()));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String fromHere(Path jar) {
    Path here = Path.of("").toAbsolutePath();
    return jar.startsWith(here) ? here.relativize(jar).toString() : jar.toString();
  }
}
