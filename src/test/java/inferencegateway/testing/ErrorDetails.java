package inferencegateway.testing;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Metadata;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an error says beside its code and text, whichever client received it.
 *
 * @param status {@code grpc-status-details-bin}; the default instance when there is none
 * @param pushback {@code grpc-retry-pushback-ms} as sent, or null
 * @param requestId {@code x-request-id} of the trailers, or null
 */
public record ErrorDetails(Status status, @Nullable String pushback, @Nullable String requestId) {
  private static final String DETAILS = "grpc-status-details-bin";
  private static final String PUSHBACK = "grpc-retry-pushback-ms";
  private static final String REQUEST_ID = "x-request-id";

  public static ErrorDetails of(StatusRuntimeException error) {
    return of(error.getTrailers());
  }

  public static ErrorDetails of(StatusException error) {
    return of(error.getTrailers());
  }

  public static ErrorDetails of(@Nullable Metadata trailers) {
    Metadata there = trailers == null ? new Metadata() : trailers;
    byte[] details = there.get(Metadata.Key.of(DETAILS, Metadata.BINARY_BYTE_MARSHALLER));
    return new ErrorDetails(parse(details), ascii(there, PUSHBACK), ascii(there, REQUEST_ID));
  }

  /** Of a {@link RawStream#trailers()}. */
  public static ErrorDetails of(HeaderList trailers) {
    String details = trailers.get(DETAILS);
    byte[] bytes = details == null ? null : Base64.getDecoder().decode(details);
    return new ErrorDetails(parse(bytes), trailers.get(PUSHBACK), trailers.get(REQUEST_ID));
  }

  public Optional<ErrorInfo> errorInfo() {
    return detail(ErrorInfo.class);
  }

  public Optional<BadRequest> badRequest() {
    return detail(BadRequest.class);
  }

  public Optional<RetryInfo> retryInfo() {
    return detail(RetryInfo.class);
  }

  /** The reason of {@link #errorInfo}, or an empty text. */
  public String reason() {
    return errorInfo().map(ErrorInfo::getReason).orElse("");
  }

  /** The first detail of this type. */
  public <T extends Message> Optional<T> detail(Class<T> type) {
    return status.getDetailsList().stream()
        .filter(any -> any.is(type))
        .findFirst()
        .map(any -> unpack(any, type));
  }

  private static <T extends Message> T unpack(Any any, Class<T> type) {
    try {
      return any.unpack(type);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("unreadable detail " + any.getTypeUrl(), e);
    }
  }

  private static Status parse(byte @Nullable [] details) {
    try {
      return details == null ? Status.getDefaultInstance() : Status.parseFrom(details);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("unreadable " + DETAILS, e);
    }
  }

  private static @Nullable String ascii(Metadata trailers, String name) {
    return trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }
}
