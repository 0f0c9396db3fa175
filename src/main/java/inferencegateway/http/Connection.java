package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpContent;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.LastHttpContent;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslCloseCompletionEvent;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the backend: the last handler of its channel. Everything runs on its loop.
 *
 * <pre>  DIALLING -> BUSY &lt;-> IDLE      any -> CLOSED </pre>
 *
 * <p>BUSY is having an exchange. Reading stays on while IDLE, so that an end, a reset or bytes
 * nobody asked for are seen when they come.
 */
@SuppressWarnings(
    "FutureReturnValueIgnored") // The handler itself sees how closing and connecting end.
final class Connection extends ChannelInboundHandlerAdapter {
  private static final byte[] BEGINNING = {'H', 'T', 'T', 'P', '/', '1', '.'};

  /** After a failed write the socket is dead and a read says so; this is for when none does. */
  private static final Duration DEAD_SOCKET_WAIT = Duration.ofMillis(250);

  /**
   * A backend that had closed an idle connection says so within a round trip of the request. One
   * that ends it later may have worked on the request, and perhaps died of it.
   */
  private static final Duration STALE_WINDOW = Duration.ofMillis(250);

  private final Lane lane;
  private final Channel channel;
  private final Wire wire;
  private final ResponseDecoder decoder;
  private @Nullable ClientExchange exchange;
  private boolean idle;
  private boolean used;
  private long idleSince;

  // Of the exchange under way:
  private int seen;
  private long handedOverAt;
  private boolean writeFailedAtOnce;
  private @Nullable RequestWriter writer;
  private boolean closedCleanly;
  private boolean delivered;
  private final HeadReader heads = new HeadReader();

  Connection(Lane lane, Wire wire) {
    this.lane = lane;
    this.wire = wire;
    this.channel = wire.channel();
    this.closedCleanly = wire.tls() == null;
    this.decoder = new ResponseDecoder(this);
    if (wire.tls() != null) {
      channel.pipeline().addLast(wire.tls());
    }
    channel.pipeline().addLast(decoder, this);
  }

  Future<?> connect() {
    return wire.connect(lane.loop().eventLoop());
  }

  /** Whether it carried a request before the present one. */
  boolean wasUsed() {
    return used;
  }

  /**
   * Whether it was used before and has ended so soon that the backend can only have closed it
   * before it read the present request.
   */
  boolean wasStale() {
    return used && (writeFailedAtOnce || isWithinStaleWindow());
  }

  private boolean isWithinStaleWindow() {
    return System.nanoTime() - handedOverAt <= STALE_WINDOW.toNanos();
  }

  boolean isActive() {
    return channel.isActive();
  }

  SocketAddress address() {
    return wire.address();
  }

  /** Which reading of the TLS files it was made with. */
  @Nullable Object tlsEdition() {
    return wire.tlsEdition();
  }

  long idleSince() {
    return idleSince;
  }

  void becomeIdle(long now) {
    idle = true;
    used = true;
    idleSince = now;
    setReading(true);
  }

  /** Takes the exchange and writes its request. */
  void carry(ClientExchange next) {
    idle = false;
    exchange = next;
    seen = 0;
    delivered = false;
    heads.restart();
    setReading(!next.isPaused());
    RequestWriter own = new RequestWriter(channel, this, next);
    writer = own;
    writeFailedAtOnce = false;
    handedOverAt = System.nanoTime();
    own.start();
  }

  void setReading(boolean on) {
    channel.config().setAutoRead(on);
  }

  /** From the {@link RequestWriter}. */
  void written(ClientExchange whose) {
    if (exchange == whose) {
      whose.sent();
    }
  }

  /** From the {@link RequestWriter}. An answer may have come all the same, so reading goes on. */
  void writeFailed(ClientExchange whose) {
    if (exchange == whose) {
      writeFailedAtOnce = isWithinStaleWindow(); // The wait that follows does not count.
      lane.loop().schedule(DEAD_SOCKET_WAIT, () -> endIfStill(whose));
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    RequestWriter own = writer;
    if (own != null && exchange != null) {
      own.more();
    }
  }

  private void endIfStill(ClientExchange then) {
    if (exchange == then && seen == 0) {
      ended("the request could not be written");
    }
  }

  /**
   * Asked before bytes are decoded. Says no to bytes that nobody asked for, and to a peer that
   * speaks another protocol: TLS alerts and HTTP/2 frames have no line end to wait for.
   */
  boolean mayDecode(ByteBuf bytes) {
    ClientExchange now = exchange;
    if (now == null) {
      if (idle) {
        lane.counters().unsolicited.increment();
      }
      close();
      return false;
    }
    if (seen < BEGINNING.length) {
      return beginsWell(bytes);
    }
    return true;
  }

  private boolean beginsWell(ByteBuf bytes) {
    int from = bytes.readerIndex();
    for (int i = from; i < bytes.writerIndex() && seen < BEGINNING.length; i++) {
      if (bytes.getByte(i) != BEGINNING[seen++]) {
        fault(HttpFault.Kind.PROTOCOL, "the answer is not HTTP/1");
        return false;
      }
    }
    return true;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    try {
      ClientExchange now = exchange;
      if (now == null) {
        return;
      }
      if (msg instanceof HttpResponse response) {
        onHead(now, response);
      }
      if (msg instanceof HttpContent content) {
        onContent(now, content);
      }
    } finally {
      ReferenceCountUtil.release(msg);
    }
  }

  private void onHead(ClientExchange now, HttpResponse response) {
    HeadReader.Outcome outcome = heads.read(response);
    if (outcome instanceof HeadReader.Final head) {
      delivered = true;
      now.head(head.head());
    } else if (outcome instanceof HeadReader.Broken broken) {
      fault(broken.kind(), broken.why());
    }
  }

  private void onContent(ClientExchange now, HttpContent content) {
    if (heads.isInterim()) {
      return;
    }
    if (content.decoderResult().isFailure()) {
      fault(HttpFault.Kind.PROTOCOL, "the answer's body is badly framed");
      return;
    }
    ByteBuf bytes = content.content();
    if (bytes.isReadable()) {
      delivered = true;
      now.body(bytes, lane.loop().scratch());
    }
    if (content instanceof LastHttpContent && exchange == now) {
      onLast(now);
    }
  }

  private void onLast(ClientExchange now) {
    boolean untilClose = !channel.isActive();
    if (untilClose && !closedCleanly) {
      ended("TLS ended without notice");
      return;
    }
    exchange = null;
    // The handler first: only it knows whether what was said in good HTTP made sense.
    if (now.end() && mayServeAgain()) {
      lane.giveBack(this);
    } else {
      close();
    }
  }

  private boolean mayServeAgain() {
    RequestWriter own = writer;
    writer = null;
    boolean written = own != null && own.isDone();
    return written && heads.keepsAlive() && !decoder.hasLeftOver() && channel.isActive();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (delivered && exchange != null) {
      delivered = false;
      exchange.readEnd();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
      closedCleanly = true;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended("connection closed by the backend");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause.getCause() instanceof SSLException) {
      ended(FaultWords.of(cause));
    } else {
      fault(HttpFault.Kind.PROTOCOL, "the answer could not be read: " + FaultWords.type(cause));
    }
  }

  /** The peer, or the network, has ended it. */
  private void ended(String why) {
    ClientExchange last = exchange;
    exchange = null;
    if (idle) {
      lane.forget(this);
    }
    close();
    if (last != null) {
      last.connectionEnded(this, seen > 0, why);
    }
  }

  private void fault(HttpFault.Kind kind, String why) {
    ClientExchange last = exchange;
    exchange = null;
    close();
    if (last != null) {
      last.fail(new HttpFault(kind, why));
    }
  }

  /** Nobody wants the rest. */
  void abort() {
    exchange = null;
    close();
  }

  void whenClosed(Runnable then) {
    channel.closeFuture().addListener(closed -> then.run());
  }

  void close() {
    wire.close();
  }
}
