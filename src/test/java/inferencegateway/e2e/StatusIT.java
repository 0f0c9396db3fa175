package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code status} of the jar asks another process of the jar. */
class StatusIT {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String PROMPT = "nobody but the backend reads this";

  private record Said(int code, String text) {}

  private static Said status(int adminPort, String... more) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-jar", System.getProperty("gateway.jar"), "status"));
    command.add("--admin=127.0.0.1:" + adminPort);
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Said(process.waitFor(), text);
  }

  @Test
  void showsTheCallAndEndsIt() throws Exception {
    try (Simulator simulator = new Simulator(SimulatorConfig.defaults())) {
      simulator.start();
      try (Jar jar = Jar.serve(simulator.port(), "--admin-listen=127.0.0.1:0");
          Callers callers = new Callers(jar.port())) {
        RecordingObserver<CompleteRequest, TokenChunk> answer = stalled(callers);
        answer.awaitMessages(1, LONG);
        Said calls = status(jar.adminPort(), "--calls");
        assertEquals(0, calls.code(), calls.text());
        assertTrue(calls.text().startsWith("READY"), calls.text());
        assertTrue(calls.text().contains("stuck-call"), calls.text());
        assertTrue(calls.text().contains("decode"), calls.text());
        assertFalse(calls.text().contains(PROMPT), calls.text());
        assertEquals(0, status(jar.adminPort(), "--cancel=stuck-call").code());
        assertEquals(Status.Code.ABORTED, answer.awaitEnd(LONG).getCode());
        Eventually.within(LONG)
            .assertThat("stopped upstream", () -> simulator.counters().running() == 0);
        assertEquals(1, status(jar.adminPort(), "--cancel=stuck-call").code());
      }
    }
  }

  private static RecordingObserver<CompleteRequest, TokenChunk> stalled(Callers callers) {
    Metadata id = new Metadata();
    id.put(Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER), "stuck-call");
    RecordingObserver<CompleteRequest, TokenChunk> answer = RecordingObserver.eager();
    LLMServiceGrpc.newStub(callers.channel())
        .withWaitForReady()
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(id))
        .completeStream(
            CompleteRequest.newBuilder()
                .addMessages(
                    Message.newBuilder()
                        .setRole("user")
                        .setContent("[[sim:stall-after=1]] " + PROMPT))
                .build(),
            answer);
    return answer;
  }

  @Test
  void saysWhatToLookAtWhereNobodyAnswers() throws Exception {
    Said nobody = status(1);
    assertEquals(1, nobody.code(), nobody.text());
    assertTrue(nobody.text().contains("nobody answers at 127.0.0.1:1"), nobody.text());
  }
}
