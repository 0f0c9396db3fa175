package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;

/** Puts a {@link PrefaceTimeout} ahead of everything else in each accepted connection. */
final class PrefaceGuard extends ChannelInboundHandlerAdapter {

  private final Duration limit;

  PrefaceGuard(Duration limit) {
    this.limit = limit;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object accepted) {
    ((Channel) accepted).pipeline().addLast(new PrefaceTimeout(limit));
    ctx.fireChannelRead(accepted);
  }
}
