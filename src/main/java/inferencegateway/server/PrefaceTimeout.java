package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a plaintext connection that does not deliver its HTTP/2 preface in time.
 *
 * <p>The library's handshake timeout covers TLS only; without TLS it takes a connection as ready
 * the moment it is accepted. Takes itself out once the preface is complete.
 */
final class PrefaceTimeout extends ChannelInboundHandlerAdapter {

  /** RFC 9113, section 3.4: "PRI * HTTP/2.0", two line ends, "SM", two line ends. */
  private static final int PREFACE_BYTES = 24;

  private final Duration limit;
  private @Nullable Future<?> timer;
  private int received;

  PrefaceTimeout(Duration limit) {
    this.limit = limit;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    timer = ctx.executor().schedule(() -> close(ctx), limit.toMillis(), TimeUnit.MILLISECONDS);
    ctx.fireChannelActive();
  }

  private static void close(ChannelHandlerContext ctx) {
    var unused = ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    received += ((ByteBuf) message).readableBytes();
    ctx.fireChannelRead(message);
    if (received >= PREFACE_BYTES && !ctx.isRemoved()) {
      ctx.pipeline().remove(this);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
