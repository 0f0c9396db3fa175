package inferencegateway.server;

import inferencegateway.config.HostPort;
import inferencegateway.config.ListenerConfig;
import io.grpc.ServerServiceDefinition;
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
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A second port that speaks {@code grpc.health.v1} and nothing else, in plaintext.
 *
 * <p>It has a loop of its own: a probe is answered while every other loop is busy, and needs no
 * client certificate where the main port asks for one.
 */
public final class HealthListener implements AutoCloseable {

  private final ListenerConfig config;
  private final ServerServiceDefinition health;
  private @Nullable EventLoopGroup loop;
  private @Nullable GrpcListener listener;

  public HealthListener(HostPort address, ServerServiceDefinition health) {
    this.config = smallPort(address);
    this.health = health;
  }

  /**
   * Opens the port.
   *
   * @throws IOException says in one line which key, which address, and why
   */
  public void start() throws IOException {
    EventLoopGroup own =
        new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("health", true), ioHandler());
    GrpcListener opening =
        new GrpcListener("health-listen", config, own, own, channelType(), onlyHealth());
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
  public int port() {
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

  private Served onlyHealth() {
    return new Served(List.of(health), null, List.of(), List.of());
  }

  private static IoHandlerFactory ioHandler() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  private static Class<? extends ServerChannel> channelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  private static void release(EventLoopGroup own) {
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  /** Probes are few and tiny; whoever sends more here is not one. */
  private static ListenerConfig smallPort(HostPort address) {
    return new ListenerConfig(
        address,
        null,
        null,
        false,
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
