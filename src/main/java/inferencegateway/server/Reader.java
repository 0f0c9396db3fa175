package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.LastHttpContent;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the page of metrics. Thread: the port's, but for {@link #close}.
 *
 * <pre>  NEW -request-> ASKED -answer taken-> IDLE -request-> ASKED ...     any -> ENDED </pre>
 */
final class Reader extends SimpleChannelInboundHandler<HttpObject> {

  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; charset=utf-8";

  private enum State {
    NEW,
    ASKED,
    IDLE,
    ENDED
  }

  private record Wanted(String accept, boolean zipped, boolean stays) {
    Wanted lastOne() {
      return new Wanted(accept, zipped, false);
    }
  }

  private final ReaderPlaces places;
  private final ReadingLine line;
  private final MetricsPort.Patience patience;
  private final Oddities oddities;

  private State state = State.NEW;
  private @Nullable ChannelHandlerContext connection;
  private @Nullable InetAddress address;
  private @Nullable HttpRequest request;

  /** Of the page, while it waits in line. */
  private Wanted wanted = new Wanted("", false, false);

  private @Nullable Future<?> timer;

  Reader(ReaderPlaces places, ReadingLine line, MetricsPort.Patience patience, Oddities oddities) {
    this.places = places;
    this.line = line;
    this.patience = patience;
    this.oddities = oddities;
  }

  /** Nothing has been asked for. */
  boolean isNew() {
    return state == State.NEW;
  }

  /** It has its answer, and may ask again. */
  boolean isIdle() {
    return state == State.IDLE;
  }

  @Nullable InetAddress address() {
    return address;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    connection = ctx;
    if (ctx.channel().remoteAddress() instanceof InetSocketAddress from) {
      address = from.getAddress();
    }
    if (places.take(this)) {
      within(patience.request());
    } else {
      close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    state = State.ENDED;
    places.leave(this);
    stopTimer();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
    if (state == State.ENDED) {
      return;
    }
    if (state == State.ASKED) {
      wanted = wanted.lastOne();
      return;
    }
    if (part.decoderResult().isFailure()) {
      oddities.seen(ctx.channel().remoteAddress());
      asked();
      answer(HttpResponseStatus.BAD_REQUEST, "This is no request.\n", false);
      return;
    }
    if (part instanceof HttpRequest begun) {
      request = begun;
      if (hasBody(begun)) {
        asked(begun, false);
        return;
      }
    }
    if (part instanceof LastHttpContent && request != null) {
      asked(request, HttpUtil.isKeepAlive(request));
    }
  }

  private static boolean hasBody(HttpRequest request) {
    return HttpUtil.isTransferEncodingChunked(request)
        || HttpUtil.getContentLength(request, 0L) != 0;
  }

  /** What else comes before the answer is not looked at, and the connection ends with that. */
  private void asked() {
    state = State.ASKED;
    request = null;
    stopTimer();
  }

  private void asked(HttpRequest whole, boolean stays) {
    asked();
    boolean reads = whole.method().equals(HttpMethod.GET) || whole.method().equals(HttpMethod.HEAD);
    String path = whole.uri().split("\\?", 2)[0];
    if (!path.equals(PATH) && !path.equals("/")) {
      answer(HttpResponseStatus.NOT_FOUND, "Nothing is here. Metrics: " + PATH + "\n", stays);
    } else if (!reads) {
      answer(HttpResponseStatus.METHOD_NOT_ALLOWED, "GET or HEAD it.\n", false);
    } else if (path.equals("/")) {
      answer(HttpResponseStatus.OK, "inference-gateway. Metrics: " + PATH + "\n", stays);
    } else {
      wanted =
          new Wanted(
              whole.headers().get(HttpHeaderNames.ACCEPT, ""),
              takesZipped(whole.headers().get(HttpHeaderNames.ACCEPT_ENCODING, "")),
              stays);
      line.join(this, here().channel().eventLoop());
    }
  }

  private static boolean takesZipped(String encodings) {
    for (String each : encodings.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = each.strip().split(";", -1);
      if (parts[0].strip().equals("gzip")) {
        return parts.length < 2 || !parts[1].strip().matches("q=0(\\.0*)?");
      }
    }
    return false;
  }

  /** Its turn has come. */
  void serve(ReadingLine.Copies copies) {
    if (state == State.ASKED) {
      ReadingLine.Copies.Copy copy = copies.copy(wanted.accept(), wanted.zipped());
      FullHttpResponse response = response(HttpResponseStatus.OK, copy.type(), copy.bytes());
      if (wanted.zipped()) {
        response.headers().set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
      }
      answer(response, wanted.stays());
    }
  }

  private void answer(HttpResponseStatus status, String text, boolean stays) {
    ByteBuf bytes = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.US_ASCII));
    FullHttpResponse response = response(status, TEXT, bytes);
    if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    answer(response, stays);
  }

  private static FullHttpResponse response(HttpResponseStatus status, String type, ByteBuf bytes) {
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, bytes);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .setInt(HttpHeaderNames.CONTENT_LENGTH, bytes.readableBytes());
    return response;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the listener is called on any way to end
  private void answer(FullHttpResponse response, boolean stays) {
    response.headers().set(HttpHeaderNames.CONNECTION, stays ? "keep-alive" : "close");
    within(patience.taking());
    here()
        .writeAndFlush(response)
        .addListener(
            taken -> {
              if (taken.isSuccess() && stays) {
                answered();
              } else {
                close();
              }
            });
  }

  private void answered() {
    if (state == State.ASKED) {
      state = State.IDLE;
      places.served(this);
      within(patience.idle());
    }
  }

  private void within(Duration limit) {
    stopTimer();
    timer = here().executor().schedule(this::close, limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private ChannelHandlerContext here() {
    ChannelHandlerContext ctx = connection;
    if (ctx == null) {
      throw new IllegalStateException("not connected");
    }
    return ctx;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
  void close() {
    if (connection != null) {
      connection.close();
    }
  }

  /** It has gone, or broke off; nothing to tell. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    close();
  }
}
