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
    if (isOurOwnCancel()) {
      return List.of("cancelled");
    }
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
    return ": "
        + (isWithoutDetails()
            ? LibraryWords.of(status)
            : LibraryWords.oneLine(String.valueOf(status.getDescription())));
  }

  /** Only when they tell more than the message: it holds the first one. */
  private void addFields(List<String> lines, BadRequest bad) {
    List<String> fields =
        bad.getFieldViolationsList().stream()
            .map(field -> field.getField() + ": " + field.getDescription())
            .toList();
    if (fields.size() != 1 || !message().contains(fields.get(0))) {
      fields.forEach(field -> lines.add("  " + field));
    }
  }

  /** Made by the client's own library, or by a server that is no gateway. */
  private boolean isWithoutDetails() {
    return rich == null || rich.getDetailsCount() == 0;
  }

  /** Ended by this process, by Ctrl-C or since nobody reads on; no server says it like that. */
  private boolean isOurOwnCancel() {
    return status.getCode() == Status.Code.CANCELLED
        && isWithoutDetails()
        && String.valueOf(status.getDescription()).startsWith("io.grpc.Context was cancelled");
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
