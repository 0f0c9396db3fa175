package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpContent;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.LastHttpContent;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Puts a request together from what the codec decodes. */
final class RequestCollector {

  enum Progress {
    MORE,
    EXPECTS_CONTINUE,
    COMPLETE,
    TOO_LARGE,
    INVALID
  }

  private static final int LARGEST_BODY = 64 * 1024 * 1024;

  private @Nullable HttpRequest head;
  private ByteArrayOutputStream body = new ByteArrayOutputStream(0);

  /** Takes over the message. */
  Progress take(Object message) {
    try {
      if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
        return Progress.INVALID;
      }
      boolean expects = message instanceof HttpRequest request && begin(request);
      if (message instanceof HttpContent content && !append(content.content())) {
        return Progress.TOO_LARGE;
      }
      if (message instanceof LastHttpContent) {
        return Progress.COMPLETE;
      }
      return expects ? Progress.EXPECTS_CONTINUE : Progress.MORE;
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private boolean begin(HttpRequest request) {
    head = request;
    body = new ByteArrayOutputStream();
    return HttpUtil.is100ContinueExpected(request);
  }

  private boolean append(ByteBuf bytes) {
    if (body.size() + bytes.readableBytes() > LARGEST_BODY) {
      return false;
    }
    try {
      bytes.readBytes(body, bytes.readableBytes());
      return true;
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** After {@link Progress#COMPLETE}. */
  HttpAsk collected() {
    if (head == null) {
      throw new IllegalStateException("no request");
    }
    return new HttpAsk(head, body.toByteArray());
  }
}
