package inferencegateway.cli;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says what a failed call tells: code, reason, message, fields, request id, whether to retry. */
final class CallFailure {

  private static final Metadata.Key<String> REQUEST_ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  private final Status status;
  private final Metadata trailers;
  private final com.google.rpc.@Nullable Status rich;

  CallFailure(StatusRuntimeException e) {
    this.status = e.getStatus();
    this.trailers = Optional.ofNullable(e.getTrailers()).orElseGet(Metadata::new);
    this.rich = StatusProto.fromThrowable(e);
  }

  /** One fact a line. */
  List<String> lines(String target) {
    List<String> lines = new ArrayList<>();
    String reason = detail(ErrorInfo.class).map(info -> " (" + info.getReason() + ")").orElse("");
    lines.add("error: " + status.getCode() + reason + message());
    detail(BadRequest.class).ifPresent(bad -> addFields(lines, bad));
    Optional.ofNullable(trailers.get(REQUEST_ID)).ifPresent(id -> lines.add("  request id: " + id));
    retry().ifPresent(hint -> lines.add("  retry: " + hint));
    if (isNobodyThere()) {
      lines.add("  " + whatToDo(target));
    }
    return lines;
  }

  private String whatToDo(String target) {
    return message().contains("refused")
        ? "Is the gateway running at "
            + target
            + "? Start it with: java -jar inference-gateway.jar serve (or demo)"
        : "Is " + target + " a gateway, and does --tls say what it speaks?";
  }

  private String message() {
    String text = String.valueOf(status.getDescription());
    Throwable cause = status.getCause();
    String known = cause == null ? text : text + ": " + innermost(cause).getMessage();
    return ": " + known.replaceAll("\\p{Cntrl}+", " ");
  }

  /** The library's own "io exception" says nothing; what it wraps does. */
  private static Throwable innermost(Throwable e) {
    Throwable cause = e.getCause();
    return cause == null ? e : innermost(cause);
  }

  private static void addFields(List<String> lines, BadRequest bad) {
    bad.getFieldViolationsList()
        .forEach(field -> lines.add("  " + field.getField() + ": " + field.getDescription()));
  }

  private Optional<String> retry() {
    Optional<RetryInfo> info = detail(RetryInfo.class);
    if (info.isPresent()) {
      return Optional.of("after " + Durations.toMillis(info.get().getRetryDelay()) + " ms");
    }
    String pushback = trailers.get(PUSHBACK);
    return pushback == null
        ? Optional.empty()
        : Optional.of(pushback.startsWith("-") ? "no use" : "after " + pushback + " ms");
  }

  /** The gateway's own UNAVAILABLE carries details; one made by the client's library does not. */
  private boolean isNobodyThere() {
    return status.getCode() == Status.Code.UNAVAILABLE && detail(ErrorInfo.class).isEmpty();
  }

  private <M extends Message> Optional<M> detail(Class<M> type) {
    for (Any any : rich == null ? List.<Any>of() : rich.getDetailsList()) {
      if (any.is(type)) {
        try {
          return Optional.of(any.unpack(type));
        } catch (InvalidProtocolBufferException e) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }
}
