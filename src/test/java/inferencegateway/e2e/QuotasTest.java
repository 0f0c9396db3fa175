package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.QuotaFailure;
import inferencegateway.auth.KeyHash;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.Message;
import inferencegateway.testing.ErrorDetails;
import inferencegateway.testing.Eventually;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** O4: who has used up its minute is told so, with all that a client needs to come back in time. */
class QuotasTest {

  private static final String COUNTED_KEY = "igw_counted-0123456789abcdefghijklm";
  private static final String CHATTY_KEY = "igw_chatty-0123456789abcdefghijklmn";
  private static final String FREE_KEY = "igw_free-0123456789abcdefghijklmnop";

  @TempDir private Path folder;
  private Rig rig;

  @BeforeEach
  void start() throws IOException {
    Path callers = folder.resolve("callers.yaml");
    Files.writeString(
        callers,
        """
        callers:
          - {name: counted, keys: ["%s"], requests-per-minute: 2}
          - {name: chatty, keys: ["%s"], tokens-per-minute: 20}
          - {name: free, keys: ["%s"]}
        """
            .formatted(
                KeyHash.of(COUNTED_KEY).text(),
                KeyHash.of(CHATTY_KEY).text(),
                KeyHash.of(FREE_KEY).text()));
    rig = Rig.start(Map.of("callers.file", callers.toString(), "model", "simulated-model"));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private LLMServiceGrpc.LLMServiceBlockingStub as(String key) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    return LLMServiceGrpc.newBlockingStub(
        ClientInterceptors.intercept(
            rig.callers().channel(), MetadataUtils.newAttachHeadersInterceptor(headers)));
  }

  private static CompleteRequest hello() {
    return CompleteRequest.newBuilder()
        .addMessages(Message.newBuilder().setRole("user").setContent("Hi"))
        .build();
  }

  private void assertOverQuota(String key, String limit) {
    int before = rig.simulator().chats().size();
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> as(key).complete(hello()));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
    ErrorDetails details = ErrorDetails.of(refused);
    assertEquals("QUOTA", details.reason());
    QuotaFailure.Violation violation =
        details.detail(QuotaFailure.class).orElseThrow().getViolations(0);
    assertTrue(violation.getSubject().matches("caller:[0-9a-f]{12}"), violation::getSubject);
    assertTrue(violation.getDescription().contains(limit), violation::getDescription);
    Duration pause =
        Duration.ofSeconds(details.retryInfo().orElseThrow().getRetryDelay().getSeconds());
    assertTrue(pause.toSeconds() <= 61, pause::toString);
    assertFalse(String.valueOf(details.pushback()).startsWith("-"));
    assertTrue(Long.parseLong(String.valueOf(details.pushback())) >= pause.toMillis());
    assertEquals(before, rig.simulator().chats().size());
  }

  @Test
  void requestsOfTheMinuteAreCounted() {
    assertFalse(as(COUNTED_KEY).complete(hello()).getText().isEmpty());
    assertFalse(as(COUNTED_KEY).complete(hello()).getText().isEmpty());
    assertOverQuota(COUNTED_KEY, "2 requests");
    assertFalse(as(FREE_KEY).complete(hello()).getText().isEmpty());
  }

  @Test
  void tokensAreChargedWhenTheyAreKnown() {
    assertFalse(as(CHATTY_KEY).complete(hello()).getText().isEmpty());
    Eventually.within(Duration.ofSeconds(5)).passes(() -> assertOverQuota(CHATTY_KEY, "20 tokens"));
    assertFalse(as(FREE_KEY).complete(hello()).getText().isEmpty());
  }
}
