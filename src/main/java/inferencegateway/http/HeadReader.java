package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.handler.codec.PrematureChannelClosureException;
import io.grpc.netty.shaded.io.netty.handler.codec.TooLongFrameException;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decides what a decoded response head means. One per connection, restarted per exchange. */
final class HeadReader {
  /** More interim responses than that are no hints but noise. */
  private static final int MAX_INTERIM = 64;

  private static final Interim INTERIM = new Interim();

  private int interims;
  private boolean interim;
  private boolean keepsAlive;

  sealed interface Outcome {}

  /** 1xx: nothing to tell; a decoder's empty body follows. */
  record Interim() implements Outcome {}

  record Final(ResponseHead head) implements Outcome {}

  record Broken(HttpFault.Kind kind, String why) implements Outcome {}

  void restart() {
    interims = 0;
    interim = false;
    keepsAlive = false;
  }

  /** Whether what is decoded now belongs to a 1xx. */
  boolean isInterim() {
    return interim;
  }

  /** Whether the backend lets the connection be used again. */
  boolean keepsAlive() {
    return keepsAlive;
  }

  Outcome read(HttpResponse response) {
    if (response.decoderResult().isFailure()) {
      return undecodable(response.decoderResult().cause());
    }
    int status = response.status().code();
    interim = status >= 100 && status < 200 && status != 101;
    if (interim) {
      return ++interims > MAX_INTERIM ? broken("too many interim answers") : INTERIM;
    }
    if (status < 200 || status > 599) {
      return broken("unexpected status " + status);
    }
    String coding = unexpectedCoding(response.headers());
    if (coding != null) {
      return broken(coding);
    }
    keepsAlive = HttpUtil.isKeepAlive(response);
    return new Final(head(status, response.headers()));
  }

  private static Outcome undecodable(Throwable cause) {
    if (cause instanceof PrematureChannelClosureException) {
      return new Broken(HttpFault.Kind.CUT, "connection closed inside the answer's head");
    }
    return broken(
        cause instanceof TooLongFrameException
            ? "the answer's head is too large"
            : "the answer's head is not HTTP/1");
  }

  private static Broken broken(String why) {
    return new Broken(HttpFault.Kind.PROTOCOL, why);
  }

  private static @Nullable String unexpectedCoding(HttpHeaders headers) {
    String content = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (content != null && !content.isBlank() && !content.trim().equalsIgnoreCase("identity")) {
      return "a content-encoding that was not asked for";
    }
    String transfer = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    if (transfer != null && !transfer.trim().equalsIgnoreCase("chunked")) {
      return "a transfer-encoding that was not asked for";
    }
    return null;
  }

  private static ResponseHead head(int status, HttpHeaders headers) {
    String type = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
    int parameters = type.indexOf(';');
    String bare = parameters < 0 ? type : type.substring(0, parameters);
    String retryAfter = headers.get(HttpHeaderNames.RETRY_AFTER, "").trim();
    return new ResponseHead(status, bare.trim().toLowerCase(Locale.ROOT), retryAfter);
  }
}
