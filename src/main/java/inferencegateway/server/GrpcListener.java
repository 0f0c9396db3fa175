package inferencegateway.server;

import inferencegateway.config.ListenerConfig;
import inferencegateway.config.Reloadable;
import inferencegateway.config.TlsConfig;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ReflectiveChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC port.
 *
 * <p>Calls run on the event loop of their connection, without an executor in between: whatever is
 * served here must never block.
 *
 * <p>Thread: any; {@link #start} once, the rest after it.
 */
public final class GrpcListener implements Stoppable {

  private final ListenAddress address;
  private final ListenerConfig config;
  private final EventLoopGroup bossGroup;
  private final EventLoopGroup group;
  private final ReflectiveChannelFactory<? extends ServerChannel> channels;
  private final Served served;
  private final ConnectionCap connections;
  private final LongAdder failedHandshakes = new LongAdder();
  private volatile @Nullable ServerTls tls;
  private volatile @Nullable Server server;

  /**
   * @param bossGroup accepts; may be the same as {@code group}
   * @param group the connections' loops; stays open when this listener ends
   */
  public GrpcListener(
      ListenerConfig config,
      EventLoopGroup bossGroup,
      EventLoopGroup group,
      Class<? extends ServerChannel> channelType,
      Served served) {
    this("listen", config, bossGroup, group, channelType, served);
  }

  GrpcListener(
      String key,
      ListenerConfig config,
      EventLoopGroup bossGroup,
      EventLoopGroup group,
      Class<? extends ServerChannel> channelType,
      Served served) {
    this.address = new ListenAddress(key, config.listen());
    this.config = config;
    this.bossGroup = bossGroup;
    this.group = group;
    this.channels = new ReflectiveChannelFactory<>(channelType);
    this.served = served;
    this.connections = new ConnectionCap(config.maxConnections());
  }

  /**
   * Reads the TLS files as {@link #start} will, and opens nothing.
   *
   * @throws IOException says in one line which key, which file, and why
   */
  public static void check(ListenerConfig config) throws IOException {
    if (config.tls() != null) {
      ServerTls.open(config.tls());
    }
  }

  /**
   * Reads the TLS files and opens the port.
   *
   * @throws IOException says in one line which key, which address or file, and why
   */
  public void start() throws IOException {
    TlsConfig files = config.tls();
    tls = files == null ? null : ServerTls.open(files);
    server = address.bind(at -> build(at).start());
  }

  /** The TLS files, to be followed; after {@link #start}. Null: there is no TLS. */
  public @Nullable Reloadable tls() {
    return tls;
  }

  /** The bound port; after {@link #start} and before the end. */
  public int port() {
    return server().getPort();
  }

  /** Connections open now. */
  public int connections() {
    return connections.open();
  }

  /** Connections closed on accept since the start, for being above {@code limits.connections}. */
  public long rejectedConnections() {
    return connections.rejected();
  }

  /** TLS handshakes that came to nothing, whoever refused whom. */
  public long failedHandshakes() {
    return failedHandshakes.sum();
  }

  @Override
  public void shutdown() {
    server().shutdown();
  }

  @Override
  public void shutdownNow() {
    server().shutdownNow();
  }

  @Override
  public boolean isTerminated() {
    return server().isTerminated();
  }

  /** Returns whether it ended within the limit; {@link #shutdown} comes first. */
  public boolean awaitTermination(long limit, TimeUnit unit) throws InterruptedException {
    return server().awaitTermination(limit, unit);
  }

  private Server build(InetSocketAddress at) {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(at)
            .bossEventLoopGroup(bossGroup)
            .workerEventLoopGroup(group)
            .channelFactory(this::cappedChannel)
            .directExecutor();
    ServerTls identity = tls;
    if (identity != null) {
      builder.sslContext(identity.context());
    }
    ServerLimits.apply(config, builder);
    offer(builder);
    return builder.build();
  }

  private ServerChannel cappedChannel() {
    ServerChannel channel = channels.newChannel();
    channel.pipeline().addLast(connections);
    TlsConfig tlsFiles = config.tls();
    if (tlsFiles != null) {
      boolean tellsWhose = tlsFiles.clientCa() != null;
      channel
          .pipeline()
          .addLast(new RefusedHandshakes((peer, why) -> handshakeFailed(peer, why, tellsWhose)));
    }
    if (tlsFiles == null) {
      channel.pipeline().addLast(new PrefaceGuard(config.connection().handshakeTimeout()));
    }
    return channel;
  }

  private void handshakeFailed(SocketAddress peer, String why, boolean tellsWhose) {
    failedHandshakes.increment();
    if (tellsWhose) {
      served.refusedHandshakes().accept(peer, why);
    }
  }

  private void offer(NettyServerBuilder builder) {
    builder.fallbackHandlerRegistry(served.fallback());
    served.services().forEach(builder::addService);
    served.tracers().forEach(builder::addStreamTracerFactory);
    served.observer().accept(builder);
    if (config.reflection()) {
      addReflection(builder);
    }
    // The library calls the interceptor that was added last first.
    List<ServerInterceptor> interceptors = served.interceptors();
    for (int i = interceptors.size() - 1; i >= 0; i--) {
      builder.intercept(interceptors.get(i));
    }
  }

  @SuppressWarnings("deprecation") // many clients still ask for v1alpha first, or know no other
  private static void addReflection(NettyServerBuilder builder) {
    builder.addService(ProtoReflectionServiceV1.newInstance());
    builder.addService(ProtoReflectionService.newInstance());
  }

  private Server server() {
    Server started = server;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }
}
