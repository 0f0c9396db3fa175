package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;
import java.util.function.BiConsumer;

/**
 * Tells of connections whose TLS handshake failed: who has no good certificate gets no further, and
 * the library says nothing of it. Sits in the listening channel's pipeline.
 */
final class RefusedHandshakes extends ChannelInboundHandlerAdapter {

  private final BiConsumer<SocketAddress, String> told;

  /**
   * @param told on the connection's loop
   */
  RefusedHandshakes(BiConsumer<SocketAddress, String> told) {
    this.told = told;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object accepted) {
    ((Channel) accepted).pipeline().addLast(new Watch());
    ctx.fireChannelRead(accepted);
  }

  /** The library shows the bytes of what is no TLS: that may be a plaintext call with its key. */
  private static String words(Throwable why) {
    Throwable root = why;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root instanceof NotSslRecordException
        ? "the peer does not speak TLS"
        : String.valueOf(root.getMessage());
  }

  /** By the first bytes the library has put its TLS into the pipeline. */
  private final class Watch extends ChannelInboundHandlerAdapter {

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the listener is called however it ends
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
      SslHandler tls = ctx.pipeline().get(SslHandler.class);
      if (tls != null) {
        SocketAddress peer = ctx.channel().remoteAddress();
        tls.handshakeFuture()
            .addListener(
                done -> {
                  if (!done.isSuccess()) {
                    told.accept(peer, words(done.cause()));
                  }
                });
      }
      ctx.pipeline().remove(this);
      ctx.fireChannelRead(bytes);
    }
  }
}
