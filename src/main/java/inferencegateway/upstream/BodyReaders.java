package inferencegateway.upstream;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/** Chooses how a response is read, by its status and content type. */
final class BodyReaders {

  private final ChatCall call;
  private final Answer answer;
  private final Dialect dialect;
  private final boolean stream;
  private final ChatRequest request;

  BodyReaders(ChatCall call, Answer answer, Dialect dialect, boolean stream, ChatRequest request) {
    this.call = call;
    this.answer = answer;
    this.dialect = dialect;
    this.stream = stream;
    this.request = request;
  }

  /** Null when the head alone ended the call. */
  @Nullable BodyReader of(ResponseHead head) {
    int status = head.status();
    if (status >= 300 && status < 400) {
      call.failForGood(
          Failure.of(
              Reason.UPSTREAM_REDIRECT,
              "the backend answered with a redirect (" + status + "), which is never followed"));
      return null;
    }
    return status < 300 ? ofSuccess(head) : errorReader(head);
  }

  /** The answer may come as the other kind than the one asked for; some servers cannot stream. */
  private @Nullable BodyReader ofSuccess(ResponseHead head) {
    String type = head.contentType();
    if (type.equals("text/event-stream") || (type.isEmpty() && stream)) {
      return new StreamReader(call, answer, this, dialect);
    }
    if (type.endsWith("json") || type.isEmpty()) {
      return new WholeReader(call, answer, this, dialect, stream);
    }
    call.failForGood(
        WireFailures.protocol(
            "the backend answered with '" + shown(type) + "', neither events nor JSON"));
    return null;
  }

  private BodyReader errorReader(ResponseHead head) {
    return new ErrorReader(
        call,
        reply ->
            dialect
                .failures()
                .of(
                    head.status(),
                    reply,
                    request,
                    RetryAfter.parse(head.retryAfter(), dialect.clock())));
  }

  /** An error object inside a response that began well. */
  Failure inBand(byte[] bytes, int offset, int length) {
    ErrorReply reply = ErrorReply.parse(bytes, offset, length);
    if (reply.saysEngineDied()) {
      call.isCutOff();
    }
    return dialect.failures().of(reply.status(), reply, request, null);
  }

  private static String shown(String type) {
    String plain = type.replaceAll("[^a-z0-9/+.-]", "?");
    return plain.substring(0, Math.min(plain.length(), 60));
  }
}
