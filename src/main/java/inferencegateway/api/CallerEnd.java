package inferencegateway.api;

import inferencegateway.call.AbruptEnd;
import inferencegateway.call.AnswerSink;
import inferencegateway.call.Statuses;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What both kinds of methods do alike at the caller's end of a call. */
abstract class CallerEnd<A> implements AnswerSink {

  /**
   * So many bytes may wait in the transport before tokens are merged and the backend is held back.
   * Below the library's 32 KiB: it bounds the memory of a caller that does not read, and progress
   * shows sooner.
   */
  private static final int READY_BYTES = 8 * 1024;

  private final ServerCall<?, A> call;
  private final String requestId;
  private final Context context;
  private @Nullable Metadata headers;
  private @Nullable Metadata trailers;
  private boolean headersSent;

  CallerEnd(ServerCall<?, A> call, String requestId, Context context) {
    this.call = call;
    this.requestId = requestId;
    this.context = context;
    call.setOnReadyThreshold(READY_BYTES);
  }

  @Override
  public final void header(String name, String value) {
    Metadata said = headers == null ? new Metadata() : headers;
    Metadata.Key<String> key = Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    said.removeAll(key);
    said.put(key, printable(value));
    headers = said;
  }

  @Override
  public final void trailer(String name, String value) {
    Metadata said = trailers == null ? new Metadata() : trailers;
    said.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    trailers = said;
  }

  private Metadata withTrailers(Metadata own) {
    if (trailers != null) {
      own.merge(trailers);
    }
    return own;
  }

  private static String printable(String value) {
    return value.chars().allMatch(c -> c >= ' ' && c <= '~')
        ? value
        : URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  @Override
  public final void fail(Statuses.Answer answer) {
    // Without headers before it this is Trailers-Only, which clients and proxies may retry.
    call.close(answer.status(), withTrailers(answer.trailers()));
  }

  @Override
  public final void reset() {
    AbruptEnd.of(context);
  }

  final boolean transportIsReady() {
    return call.isReady();
  }

  final boolean hasSent() {
    return headersSent;
  }

  final void message(A message) {
    if (!headersSent) {
      headersSent = true;
      call.sendHeaders(headers == null ? new Metadata() : headers);
    }
    call.sendMessage(message);
  }

  final void ok() {
    call.close(Status.OK, withTrailers(Statuses.okTrailers(requestId)));
  }
}
