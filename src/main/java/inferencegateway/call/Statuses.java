package inferencegateway.call;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.chat.Phase;
import inferencegateway.chat.Reason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Turns a failure into what goes over the wire. The only place that does. */
public final class Statuses {

  public static final String DOMAIN = "inference-gateway";

  public static final Metadata.Key<String> REQUEST_ID = text("x-request-id");
  static final Metadata.Key<String> PUSHBACK = text("grpc-retry-pushback-ms");
  static final Metadata.Key<String> RETRY_SAFE = text("x-gateway-retry");
  static final Metadata.Key<com.google.rpc.Status> DETAILS =
      Metadata.Key.of(
          "grpc-status-details-bin",
          ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

  // Larger trailers get calls reset by common HTTP/2 stacks: message and details together stay
  // below 3.5 KiB, where the message is percent-encoded and the details are base64.
  private static final int MAX_MESSAGE_BYTES = 800;
  private static final int MAX_MESSAGE_BYTES_BESIDE_VIOLATIONS = 400;
  private static final int MAX_DETAILS_BYTES = 1_750;
  private static final int MAX_VIOLATIONS = 16;
  private static final int MAX_WORD_BYTES = 100;
  private static final int MAX_DESCRIPTION_BYTES = 160;
  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(1);

  private Statuses() {}

  /**
   * What a caller is told.
   *
   * @param trailers complete: request id, details, retry advice
   */
  public record Answer(Status status, Metadata trailers) {}

  /**
   * Writes the status of one failed call.
   *
   * @param tokensSent non-empty deltas handed to the caller; above zero nothing may be retried
   */
  public static Answer of(Failure failure, String requestId, Phase phase, int tokensSent) {
    Verdict verdict = Verdict.on(failure.reason());
    String message =
        Shortened.percentEncoded(
            failure.told(),
            failure.violations().isEmpty()
                ? MAX_MESSAGE_BYTES
                : MAX_MESSAGE_BYTES_BESIDE_VIOLATIONS);
    com.google.rpc.Status.Builder details =
        com.google.rpc.Status.newBuilder()
            .setCode(verdict.code().value())
            .setMessage(message)
            .addDetails(Any.pack(errorInfo(failure, requestId, phase, tokensSent)));
    Metadata trailers = okTrailers(requestId);
    if (verdict.mayRetry() && tokensSent == 0) {
      advisePause(pause(failure, verdict), details, trailers);
    } else {
      trailers.put(PUSHBACK, "-1");
    }
    if (failure.reason() == Reason.QUOTA) {
      details.addDetails(Any.pack(quota(failure)));
    }
    addViolations(failure, details);
    trailers.put(DETAILS, details.build());
    return new Answer(verdict.code().toStatus().withDescription(message), trailers);
  }

  /** The trailers of a call that went well. */
  public static Metadata okTrailers(String requestId) {
    Metadata trailers = new Metadata();
    trailers.put(REQUEST_ID, requestId);
    return trailers;
  }

  private static ErrorInfo errorInfo(
      Failure failure, String requestId, Phase phase, int tokensSent) {
    ErrorInfo.Builder info =
        ErrorInfo.newBuilder()
            .setDomain(DOMAIN)
            .setReason(failure.reason().name())
            .putMetadata("request_id", requestId)
            .putMetadata("phase", phase.word())
            .putMetadata("tokens_sent", Integer.toString(tokensSent));
    putIfSaid(info, "upstream_type", failure.upstream().type());
    putIfSaid(info, "upstream_param", failure.upstream().param());
    putIfSaid(info, "upstream_code", failure.upstream().code());
    failure.facts().forEach((key, value) -> putIfSaid(info, key, value));
    return info.build();
  }

  private static QuotaFailure quota(Failure failure) {
    QuotaFailure.Violation.Builder violation =
        QuotaFailure.Violation.newBuilder()
            .setSubject(failure.facts().getOrDefault("caller", ""))
            .setDescription(failure.message());
    return QuotaFailure.newBuilder().addViolations(violation).build();
  }

  private static void putIfSaid(ErrorInfo.Builder info, String key, String value) {
    if (!value.isEmpty()) {
      info.putMetadata(key, Shortened.utf8(value, MAX_WORD_BYTES));
    }
  }

  private static void advisePause(
      Duration pause, com.google.rpc.Status.Builder details, Metadata trailers) {
    com.google.protobuf.Duration delay =
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(pause.getSeconds())
            .setNanos(pause.getNano())
            .build();
    details.addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()));
    trailers.put(PUSHBACK, Long.toString(pause.toMillis()));
    trailers.put(RETRY_SAFE, "safe");
  }

  /**
   * What the backend asked for, else a second; callers that were shed together must not come back
   * together.
   */
  private static Duration pause(Failure failure, Verdict verdict) {
    if (failure.retryAfter() != null) {
      return failure.retryAfter();
    }
    return verdict.code() == Status.Code.RESOURCE_EXHAUSTED
        ? DEFAULT_PAUSE.plusMillis(ThreadLocalRandom.current().nextLong(-250, 251))
        : DEFAULT_PAUSE;
  }

  /** As many as fit; the first is in the message too. */
  private static void addViolations(Failure failure, com.google.rpc.Status.Builder details) {
    if (failure.violations().isEmpty()) {
      return;
    }
    BadRequest.Builder request = BadRequest.newBuilder();
    int room = MAX_DETAILS_BYTES - details.buildPartial().getSerializedSize();
    for (FieldViolation violation : failure.violations()) {
      BadRequest.FieldViolation next =
          BadRequest.FieldViolation.newBuilder()
              .setField(Shortened.utf8(violation.field(), MAX_WORD_BYTES))
              .setDescription(Shortened.utf8(violation.description(), MAX_DESCRIPTION_BYTES))
              .build();
      room -= next.getSerializedSize() + 4;
      if (room < 0 || request.getFieldViolationsCount() == MAX_VIOLATIONS) {
        break;
      }
      request.addFieldViolations(next);
    }
    details.addDetails(Any.pack(request.build()));
  }

  private static Metadata.Key<String> text(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
