package inferencegateway.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.config.HostPort;
import inferencegateway.config.ListenerConfig;
import inferencegateway.config.TlsConfig;
import io.grpc.ManagedChannel;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A listener on loopback with loops of its own, its settings, and channels to it. */
final class Port implements AutoCloseable {

  Duration permitPings = Duration.ofSeconds(5);
  Duration maxAge = Duration.ofMinutes(10);
  Duration handshakeTimeout = Duration.ofSeconds(10);
  int maxStreams = 1_000;
  int maxResets = 4_000;
  int maxConnections = 100;
  int maxRequestBytes = 1024 * 1024;
  boolean reflection = true;
  @Nullable TlsConfig tls;
  final List<ServerInterceptor> interceptors = new ArrayList<>();
  final List<ServerServiceDefinition> more = new ArrayList<>();

  final ByteCalls calls = new ByteCalls();
  final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final List<ManagedChannel> channels = new ArrayList<>();
  private @Nullable GrpcListener listener;

  GrpcListener start() throws IOException {
    GrpcListener made = make(new HostPort("127.0.0.1", 0));
    made.start();
    listener = made;
    return made;
  }

  GrpcListener make(HostPort address) {
    List<ServerServiceDefinition> services = new ArrayList<>(more);
    services.add(calls.service());
    return new GrpcListener(
        config(address),
        group,
        group,
        NioServerSocketChannel.class,
        new Served(services, null, interceptors, List.of()));
  }

  private ListenerConfig config(HostPort address) {
    return new ListenerConfig(
        address,
        null,
        tls,
        reflection,
        new ListenerConfig.KeepAlive(
            Duration.ofSeconds(30), Duration.ofSeconds(10), permitPings, true),
        new ListenerConfig.Connection(
            maxAge,
            Duration.ofMinutes(10),
            Duration.ofMinutes(60),
            maxStreams,
            maxResets,
            handshakeTimeout),
        maxConnections,
        maxRequestBytes,
        16 * 1024,
        64 * 1024);
  }

  GrpcListener listener() {
    return listener;
  }

  Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", listener().port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  NettyChannelBuilder channelBuilder() {
    return NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", listener().port()));
  }

  ManagedChannel channel() {
    return keep(channelBuilder().usePlaintext().build());
  }

  ManagedChannel keep(ManagedChannel channel) {
    channels.add(channel);
    return channel;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      if (listener != null) {
        listener.shutdownNow();
        assertTrue(listener.awaitTermination(10, TimeUnit.SECONDS));
      }
      for (ManagedChannel channel : channels) {
        assertTrue(channel.awaitTermination(10, TimeUnit.SECONDS));
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
