package inferencegateway.testing;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Opens ordinary channels to one port and shuts all of them down at the end. */
public final class Callers implements AutoCloseable {
  private static final long SHUTDOWN_SECONDS = 5;
  private final int port;
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();

  public Callers(int port) {
    this.port = port;
  }

  /** A new channel, and so a connection of its own; plaintext, without retries. */
  public ManagedChannel channel() {
    return channel(builder -> builder.disableRetry());
  }

  public ManagedChannel channel(UnaryOperator<NettyChannelBuilder> shape) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    ManagedChannel channel =
        shape.apply(NettyChannelBuilder.forAddress(address).usePlaintext()).build();
    channels.add(channel);
    return channel;
  }

  public SeedCallers seeds() {
    return new SeedCallers(channel());
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    for (ManagedChannel channel : channels) {
      awaitEnd(channel);
    }
  }

  private static void awaitEnd(ManagedChannel channel) {
    try {
      if (!channel.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("a channel did not terminate");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
