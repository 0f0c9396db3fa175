package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequestDecoder;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Accepts connections on one or two addresses and knows which are open. */
@SuppressWarnings("FutureReturnValueIgnored") // Closing is waited for where it matters.
final class Listener {

  private static final int LONGEST_HEAD = 65_536;

  private final Engine engine;
  private final Routes routes;
  private final EventLoopGroup loops;
  private final AtomicLong connections;
  private final Set<Channel> listening = ConcurrentHashMap.newKeySet();
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();

  /**
   * @param connections numbers given out so far; goes on counting over restarts
   */
  Listener(Engine engine, EventLoopGroup loops, AtomicLong connections) {
    this.engine = engine;
    this.routes = new Routes(engine);
    this.loops = loops;
    this.connections = connections;
  }

  /**
   * Returns the address in force, with the port chosen.
   *
   * @throws IOException when it cannot be had, with the address in its words
   */
  SocketAddress listen(Class<? extends ServerChannel> kind, SocketAddress address, boolean tcp)
      throws IOException {
    ServerBootstrap bootstrap = new ServerBootstrap().group(loops).channel(kind);
    bootstrap.option(ChannelOption.SO_BACKLOG, 4_096);
    if (tcp) {
      bootstrap.option(ChannelOption.SO_REUSEADDR, true);
      bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
    }
    bootstrap.childHandler(new Pipeline());
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
    }
    listening.add(bound.channel());
    return bound.channel().localAddress();
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      Connection connection = new Connection(engine, routes, connections.incrementAndGet());
      HttpDecoderConfig limits =
          new HttpDecoderConfig()
              .setMaxInitialLineLength(LONGEST_HEAD)
              .setMaxHeaderSize(LONGEST_HEAD);
      channel.pipeline().addLast(new HttpRequestDecoder(limits), connection);
      open.add(connection);
      channel.closeFuture().addListener(closed -> open.remove(connection));
    }
  }

  void accepting(boolean on) {
    listening.forEach(channel -> channel.config().setAutoRead(on));
  }

  /** Stops listening and closes every connection; returns when that is done. Not from a loop. */
  void stop() {
    listening.forEach(channel -> channel.close().awaitUninterruptibly());
    for (Connection connection : open) {
      connection.stop();
      connection.channel().closeFuture().awaitUninterruptibly();
    }
  }
}
