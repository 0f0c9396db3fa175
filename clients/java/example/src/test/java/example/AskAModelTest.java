package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.inference.ChatMessage;
import inferencegateway.proto.inference.GenerateRequest;
import inferencegateway.proto.inference.InferenceServiceGrpc;
import inferencegateway.proto.inference.TokenResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example against the gateway and the simulator: real processes, real sockets. */
final class AskAModelTest {

  private static GatewayAndBackend gateway;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private ManagedChannel channel;
  private AskAModel example;

  @BeforeAll
  static void start() throws IOException {
    gateway = new GatewayAndBackend();
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @BeforeEach
  void connect() {
    channel = AskAModel.channel(gateway.target());
    example = new AskAModel(channel, new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void disconnect() throws InterruptedException {
    assertTrue(channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS));
  }

  @Test
  void wholeAnswerComesWithItsFigures() {
    example.whole("Hello");
    assertTrue(printed().endsWith("\n40 tokens, FINISH_REASON_STOP\n"), printed());
  }

  @Test
  void streamedAnswerComesWithItsFigures() {
    example.streamed("Hello");
    assertTrue(printed().endsWith("\n40 tokens, FINISH_REASON_STOP\n"), printed());
  }

  @Test
  void leavingStopsTheBackend() throws Exception {
    example.left("Hello", 3);
    assertTrue(printed().endsWith(" ... enough\n"), printed());
    gateway.awaitAbandoned(1);
  }

  @Test
  void refusalNamesReasonRequestAndField() {
    example.refused();
    assertTrue(printed().contains("INVALID_ARGUMENT"), printed());
    assertTrue(printed().contains("INVALID_REQUEST, request "), printed());
    assertTrue(printed().contains("max_tokens: "), printed());
  }

  @Test
  void wholeAnswerIsAskedForThreeTimesWhenThatIsSafe() throws Exception {
    StatusRuntimeException full =
        assertThrows(
            StatusRuntimeException.class,
            () -> example.whole("[[sim:status=429;retry-after=1]] Hello"));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, full.getStatus().getCode());
    gateway.awaitLogged("UPSTREAM_RATE_LIMIT", 3);
  }

  @Test
  void brokenStreamIsAnException() {
    StatusRuntimeException broken =
        assertThrows(
            StatusRuntimeException.class, () -> example.streamed("[[sim:drop-after=5]] Hello"));
    assertEquals(Status.Code.UNAVAILABLE, broken.getStatus().getCode());
  }

  @Test
  void smallContractStreamsToo() {
    List<TokenResponse> tokens = new ArrayList<>();
    InferenceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .generateStream(
            GenerateRequest.newBuilder()
                .addMessages(ChatMessage.newBuilder().setRole("user").setContent("Hello"))
                .build())
        .forEachRemaining(tokens::add);
    assertTrue(tokens.size() > 2);
    assertTrue(tokens.get(tokens.size() - 1).getDone());
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }
}
