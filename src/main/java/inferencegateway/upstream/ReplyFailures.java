package inferencegateway.upstream;

import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.chat.FieldViolation;
import inferencegateway.chat.Reason;
import inferencegateway.chat.UpstreamError;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The one place where an error that a backend sent becomes a failure of ours. */
final class ReplyFailures {

  /** vLLM loads for minutes; its 503 says nothing of when. */
  private static final Duration STARTING = Duration.ofSeconds(5);

  /** No backend has a code for it that can be relied on; these are vLLM's and OpenAI's wordings. */
  private static final Pattern CONTEXT =
      Pattern.compile(
          "(?i)context[_ ](length|window)|maximum model length|max_model_len|max_seq_len"
              + "|(prompt|input)( is|'s)? too long|prompt .{0,40}longer than|maximum input length"
              + "|(max_tokens|max_completion_tokens)\\W.{0,20}too large");

  private static final Pattern CONTEXT_BY_MAX_TOKENS =
      Pattern.compile("(?i)(max_tokens|max_completion_tokens)\\W.{0,20}too large");
  private static final Pattern QUEUE =
      Pattern.compile("(?i)queue[_ ]?overflow|queue (is |was )?full|full queue|too many .*queue");
  private static final Pattern MODEL =
      Pattern.compile("(?i)\\bmodel\\b.*(not exist|not found|unknown|not available)");

  private final ErrorText texts;

  ReplyFailures(ErrorText texts) {
    this.texts = texts;
  }

  /**
   * @param status of the response, or what an error inside a 200 stands for
   * @param said what the response says, the caller's own words perhaps among it
   * @param request what it is the answer to
   * @param retryAfter what the response asked for
   */
  Failure of(int status, ErrorReply said, ChatRequest request, @Nullable Duration retryAfter) {
    Reason reason = reason(status, said);
    ErrorReply reply = said.withMessage(Echo.cut(head(said.message()), request.messages()));
    return new Failure(
        reason,
        message(reason, status, request.model()),
        quoted(reason, reply),
        violations(reason, reply),
        upstream(reply),
        pause(reason, retryAfter),
        Map.of(),
        "");
  }

  private static Reason reason(int status, ErrorReply reply) {
    return switch (status) {
      case 401, 402, 403, 407 -> Reason.UPSTREAM_AUTH;
      case 404 -> isAboutModel(reply) ? Reason.MODEL_NOT_FOUND : Reason.UPSTREAM_NOT_FOUND;
      case 405, 410 -> Reason.UPSTREAM_NOT_FOUND;
      // What the gateway itself put on the wire was not liked: headers, length, media type.
      case 406, 411, 412, 414, 415, 417, 421, 426, 431 -> Reason.UPSTREAM_PROTOCOL;
      case 408, 409, 425, 499, 502, 504 -> Reason.UPSTREAM_GATEWAY;
      case 429 -> Reason.UPSTREAM_RATE_LIMIT;
      case 501 -> Reason.UNIMPLEMENTED_UPSTREAM;
      case 503 -> isQueueFull(reply) ? Reason.UPSTREAM_QUEUE_FULL : Reason.UPSTREAM_STARTING;
      default -> otherReason(status, reply);
    };
  }

  private static Reason otherReason(int status, ErrorReply reply) {
    if (status >= 300 && status < 400) {
      return Reason.UPSTREAM_REDIRECT;
    }
    if (status >= 400 && status < 500) {
      return isAboutContext(reply) ? Reason.CONTEXT_LENGTH : Reason.INVALID_REQUEST;
    }
    return status >= 500 ? Reason.UPSTREAM_ERROR : Reason.UPSTREAM_PROTOCOL;
  }

  /** vLLM answers an unknown path with type "Not Found", an unknown model with NotFoundError. */
  private static boolean isAboutModel(ErrorReply reply) {
    return reply.type().equals("NotFoundError")
        || reply.param().equals("model")
        || reply.code().equals("model_not_found")
        || MODEL.matcher(head(reply.message())).find();
  }

  private static boolean isQueueFull(ErrorReply reply) {
    return QUEUE.matcher(reply.type()).find() || QUEUE.matcher(head(reply.message())).find();
  }

  private static boolean isAboutContext(ErrorReply reply) {
    return reply.code().equals("context_length_exceeded")
        || CONTEXT.matcher(head(reply.message())).find();
  }

  /** Enough for every known wording; the rest may be a prompt of any length. */
  private static String head(String message) {
    return message.substring(0, Math.min(message.length(), 1_000));
  }

  private String message(Reason reason, int status, String model) {
    return switch (reason) {
      case UPSTREAM_AUTH ->
          "the backend refused the gateway's own key (" + status + "): see api-key-file";
      case UPSTREAM_REDIRECT ->
          "the backend answered with a redirect (" + status + "), which is never followed";
      case UPSTREAM_NOT_FOUND ->
          "the backend has no such path (" + status + "): see the path in backend";
      case MODEL_NOT_FOUND -> "the backend does not serve the model '" + texts.quoted(model) + "'";
      case INVALID_REQUEST, CONTEXT_LENGTH, UNIMPLEMENTED_UPSTREAM ->
          "the backend refused the request (" + status + ")";
      case UPSTREAM_RATE_LIMIT -> "the backend limits its rate (429)";
      case UPSTREAM_QUEUE_FULL -> "the backend's queue is full (" + status + ")";
      case UPSTREAM_STARTING -> "the backend is not ready (" + status + ")";
      case UPSTREAM_GATEWAY ->
          "the backend could not be reached through its proxy (" + status + ")";
      case UPSTREAM_PROTOCOL -> "the backend does not understand the gateway (" + status + ")";
      default -> "the backend failed (" + status + ")";
    };
  }

  /** What is the gateway's own affair is not for the caller's ears. */
  private String quoted(Reason reason, ErrorReply reply) {
    return switch (reason) {
      case UPSTREAM_AUTH, UPSTREAM_REDIRECT, UPSTREAM_NOT_FOUND, MODEL_NOT_FOUND -> "";
      case INVALID_REQUEST, CONTEXT_LENGTH, UNIMPLEMENTED_UPSTREAM -> texts.clean(reply.message());
      default -> texts.cleanOrNothing(reply.message());
    };
  }

  private List<FieldViolation> violations(Reason reason, ErrorReply reply) {
    return switch (reason) {
      case CONTEXT_LENGTH ->
          List.of(new FieldViolation(contextField(reply), texts.clean(reply.message())));
      case INVALID_REQUEST -> ofParam(texts.word(reply.param()), reply);
      default -> List.of();
    };
  }

  private List<FieldViolation> ofParam(String param, ErrorReply reply) {
    return param.isEmpty()
        ? List.of()
        : List.of(new FieldViolation(ownName(param), texts.clean(reply.message())));
  }

  private static String contextField(ErrorReply reply) {
    return CONTEXT_BY_MAX_TOKENS.matcher(head(reply.message())).find() ? "max_tokens" : "messages";
  }

  private static String ownName(String param) {
    return param.toLowerCase(Locale.ROOT).equals("max_completion_tokens") ? "max_tokens" : param;
  }

  private UpstreamError upstream(ErrorReply reply) {
    return new UpstreamError(
        texts.word(reply.type()), texts.word(reply.param()), texts.word(reply.code()));
  }

  /** Only where waiting helps. */
  private static @Nullable Duration pause(Reason reason, @Nullable Duration asked) {
    return switch (reason) {
      case UPSTREAM_RATE_LIMIT, UPSTREAM_QUEUE_FULL, UPSTREAM_GATEWAY -> asked;
      case UPSTREAM_STARTING -> asked == null ? STARTING : asked;
      default -> null;
    };
  }
}
