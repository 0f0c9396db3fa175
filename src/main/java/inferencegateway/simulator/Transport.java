package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Epoll where it loads, NIO elsewhere. */
enum Transport {
  EPOLL,
  NIO;

  static Transport best() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  EventLoopGroup loops(int threads) {
    IoHandlerFactory io = this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory("simulator", true), io);
  }

  Class<? extends ServerChannel> tcp() {
    return this == EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  Class<? extends ServerChannel> unix() {
    return this == EPOLL
        ? EpollServerDomainSocketChannel.class
        : NioServerDomainSocketChannel.class;
  }

  SocketAddress unixAddress(String path) {
    return this == EPOLL ? new DomainSocketAddress(path) : UnixDomainSocketAddress.of(path);
  }
}
