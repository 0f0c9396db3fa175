package inferencegateway.bench;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** The loops of one process of the bench: epoll where it loads, NIO elsewhere. */
final class LoadLoops implements AutoCloseable {

  private static final boolean EPOLL = Epoll.isAvailable();

  private final EventLoopGroup group;

  /** Starts the threads. */
  LoadLoops(String name, int threads) {
    IoHandlerFactory io = EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), io);
  }

  EventLoopGroup group() {
    return group;
  }

  Class<? extends Channel> sockets() {
    return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  Class<? extends ServerChannel> listeners() {
    return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
