package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import io.grpc.netty.shaded.io.netty.util.concurrent.Promise;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A socket, with TLS on it or without: the two are connected and closed differently.
 *
 * @param tls already made for the address's name; null: plain text
 * @param tlsEdition which reading of the TLS files it was made with; null: plain text
 */
@SuppressWarnings("FutureReturnValueIgnored") // The channel's handler sees how closing ends.
record Wire(
    Channel channel, SocketAddress address, @Nullable SslHandler tls, @Nullable Object tlsEdition) {

  /** Connects and, where asked for, shakes hands; succeeds when a request may be sent. */
  Future<?> connect(EventLoop loop) {
    loop.register(channel);
    ChannelFuture connected = channel.connect(address);
    if (tls == null) {
      return connected;
    }
    Promise<Void> ready = loop.newPromise();
    Future<Channel> handshake = tls.handshakeFuture();
    connected.addListener(
        f -> {
          if (f.isSuccess()) {
            handshake.addListener(h -> settle(ready, h));
          } else {
            ready.tryFailure(f.cause());
          }
        });
    return ready;
  }

  private static void settle(Promise<Void> promise, Future<?> outcome) {
    if (outcome.isSuccess()) {
      promise.trySuccess(null);
    } else {
      promise.tryFailure(outcome.cause());
    }
  }

  /**
   * At once: TLS would first send its farewell, and wait where the peer does not read. Never
   * half-closes.
   */
  void close() {
    ChannelHandlerContext below = tls == null ? null : channel.pipeline().context(tls);
    if (below == null) {
      channel.close();
    } else {
      below.close();
    }
  }
}
