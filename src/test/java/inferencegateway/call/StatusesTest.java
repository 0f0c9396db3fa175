package inferencegateway.call;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import inferencegateway.chat.UpstreamError;
import io.grpc.InternalMetadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatusesTest {

  private static final String ID = "req-1";

  @ParameterizedTest
  @EnumSource(Reason.class)
  void everyReasonCarriesIdDomainPhaseAndTokens(Reason reason) throws Exception {
    Statuses.Answer answer = Statuses.of(Failure.of(reason, "why"), ID, Phase.DECODE, 3);
    assertEquals(ID, answer.trailers().get(Statuses.REQUEST_ID));
    ErrorInfo info = detail(answer, ErrorInfo.class).orElseThrow();
    assertEquals("inference-gateway", info.getDomain());
    assertEquals(reason.name(), info.getReason());
    assertEquals(ID, info.getMetadataOrThrow("request_id"));
    assertEquals("decode", info.getMetadataOrThrow("phase"));
    assertEquals("3", info.getMetadataOrThrow("tokens_sent"));
    assertEquals(
        answer.status().getCode().value(), answer.trailers().get(Statuses.DETAILS).getCode());
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void nothingIsRetriedAfterATokenWasHandedOver(Reason reason) throws Exception {
    Statuses.Answer answer = Statuses.of(Failure.of(reason, "why"), ID, Phase.DECODE, 1);
    assertEquals("-1", answer.trailers().get(Statuses.PUSHBACK));
    assertNull(answer.trailers().get(Statuses.RETRY_SAFE));
    assertTrue(detail(answer, RetryInfo.class).isEmpty());
  }

  @Test
  void backendsOwnPauseIsPassedOn() throws Exception {
    Failure failure =
        Failure.of(Reason.UPSTREAM_RATE_LIMIT, "slow down").withRetryAfter(Duration.ofSeconds(2));
    Statuses.Answer answer = Statuses.of(failure, ID, Phase.PREFILL, 0);
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, answer.status().getCode());
    assertEquals("2000", answer.trailers().get(Statuses.PUSHBACK));
    assertEquals("safe", answer.trailers().get(Statuses.RETRY_SAFE));
    assertEquals(2, detail(answer, RetryInfo.class).orElseThrow().getRetryDelay().getSeconds());
  }

  @Test
  void shedCallersComeBackApart() {
    long distinct =
        Collections.nCopies(50, Failure.of(Reason.CONCURRENCY_LIMIT, "busy")).stream()
            .map(f -> Statuses.of(f, ID, Phase.QUEUED, 0).trailers().get(Statuses.PUSHBACK))
            .distinct()
            .count();
    assertTrue(distinct > 10);
  }

  @Test
  void everyFieldAtFaultIsNamed() throws Exception {
    Failure failure =
        Failure.invalid(
            List.of(new FieldViolation("temperature", "too hot"), new FieldViolation("b", "c")));
    Statuses.Answer answer = Statuses.of(failure, ID, Phase.ADMISSION, 0);
    assertEquals("temperature: too hot (and 1 more)", answer.status().getDescription());
    BadRequest request = detail(answer, BadRequest.class).orElseThrow();
    assertEquals(2, request.getFieldViolationsCount());
    assertEquals("temperature", request.getFieldViolations(0).getField());
  }

  @Test
  void upstreamsWordsAreForPrograms() throws Exception {
    Failure failure =
        Failure.of(Reason.UPSTREAM_ERROR, "why")
            .withUpstream(new UpstreamError("InternalServerError", "", "500"));
    ErrorInfo info =
        detail(Statuses.of(failure, ID, Phase.PREFILL, 0), ErrorInfo.class).orElseThrow();
    assertEquals("InternalServerError", info.getMetadataOrThrow("upstream_type"));
    assertEquals("500", info.getMetadataOrThrow("upstream_code"));
    assertFalse(info.containsMetadata("upstream_param"));
  }

  @Test
  void hugeTextsStaySmallOnTheWire() throws Exception {
    String huge = "\uD83D\uDE00\u6C49".repeat(100_000);
    Failure failure =
        new Failure(
            Reason.INVALID_REQUEST,
            huge,
            huge,
            Collections.nCopies(1_000, new FieldViolation(huge, huge)),
            new UpstreamError(huge, huge, huge),
            null,
            Map.of("est_wait_ms", huge),
            huge);
    Statuses.Answer answer = Statuses.of(failure, "r".repeat(128), Phase.PREFILL, 0);
    int onTheWire = percentEncoded(answer.status().getDescription());
    byte[][] parts = InternalMetadata.serialize(answer.trailers());
    for (int i = 0; i < parts.length; i += 2) {
      boolean binary = new String(parts[i], US_ASCII).endsWith("-bin");
      onTheWire +=
          parts[i].length + (binary ? parts[i + 1].length * 4 / 3 + 2 : parts[i + 1].length);
    }
    assertTrue(onTheWire <= 3_584, "bytes on the wire: " + onTheWire);
    assertTrue(detail(answer, BadRequest.class).orElseThrow().getFieldViolationsCount() >= 1);
  }

  private static int percentEncoded(String message) {
    int bytes = 0;
    for (byte b : message.getBytes(UTF_8)) {
      bytes += b >= ' ' && b < 0x7f && b != '%' ? 1 : 3;
    }
    return bytes;
  }

  private static <M extends Message> Optional<M> detail(Statuses.Answer answer, Class<M> type)
      throws InvalidProtocolBufferException {
    for (Any any : answer.trailers().get(Statuses.DETAILS).getDetailsList()) {
      if (any.is(type)) {
        return Optional.of(any.unpack(type));
      }
    }
    return Optional.empty();
  }
}
