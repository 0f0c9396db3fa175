package inferencegateway.server;

import inferencegateway.config.HostPort;
import inferencegateway.config.ListenerConfig;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A small plaintext port beside the main one, with a loop of its own: it answers while every other
 * loop is busy or stuck.
 */
final class SidePort implements AutoCloseable {

  private final String key;
  private final String thread;
  private final ListenerConfig config;
  private final Served served;
  private @Nullable EventLoopGroup loop;
  private @Nullable GrpcListener listener;

  /**
   * @param key of the address's setting, for messages
   * @param thread the loop's name
   */
  SidePort(String key, String thread, HostPort address, boolean reflection, Served served) {
    this.key = key;
    this.thread = thread;
    this.config = smallPort(address, reflection);
    this.served = served;
  }

  /**
   * Opens the port.
   *
   * @throws IOException says in one line which key, which address, and why
   */
  void start() throws IOException {
    EventLoopGroup own =
        new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(thread, true), ioHandler());
    GrpcListener opening = new GrpcListener(key, config, own, own, channelType(), served);
    try {
      opening.start();
    } catch (IOException | RuntimeException e) {
      release(own);
      throw e;
    }
    loop = own;
    listener = opening;
  }

  /** The bound port; after {@link #start}. */
  int port() {
    GrpcListener open = listener;
    if (open == null) {
      throw new IllegalStateException("not started");
    }
    return open.port();
  }

  /** Closes port, connections and loop. Does nothing when it was not started. */
  @Override
  public void close() {
    if (listener != null) {
      listener.shutdownNow();
      listener = null;
    }
    if (loop != null) {
      release(loop);
      loop = null;
    }
  }

  static IoHandlerFactory ioHandler() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  static Class<? extends ServerChannel> channelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  static void release(EventLoopGroup own) {
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  /** Requests are few and tiny; whoever sends more here has come to the wrong port. */
  private static ListenerConfig smallPort(HostPort address, boolean reflection) {
    return new ListenerConfig(
        address,
        null,
        null,
        reflection,
        new ListenerConfig.KeepAlive(
            Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5), true),
        new ListenerConfig.Connection(
            Duration.ofMinutes(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(60),
            100,
            400,
            Duration.ofSeconds(10)),
        1_000,
        16 * 1024,
        8 * 1024,
        16 * 1024);
  }
}
