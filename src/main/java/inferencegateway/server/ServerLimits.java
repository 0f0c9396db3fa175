package inferencegateway.server;

import inferencegateway.config.ListenerConfig;
import io.grpc.Codec;
import io.grpc.CompressorRegistry;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.util.concurrent.TimeUnit;

/** Every limit of the library, said out loud: none is left at a default that may change. */
final class ServerLimits {

  /** The library counts resets over whole windows of this many seconds. */
  private static final int RESET_WINDOW_SECONDS = 10;

  /**
   * Request bytes that one stream, and one connection, may have under way. Fixed: the library's
   * automatic window answers request data with pings of its own and grows to 8 MiB per connection,
   * while prompts are small and gain nothing from it.
   */
  private static final int RECEIVE_WINDOW_BYTES = 1024 * 1024;

  private ServerLimits() {}

  static void apply(ListenerConfig config, NettyServerBuilder builder) {
    sizes(config, builder);
    keepAlive(config.keepAlive(), builder);
    connection(config.connection(), builder);
  }

  private static void sizes(ListenerConfig config, NettyServerBuilder builder) {
    builder.maxInboundMessageSize(config.maxRequestBytes());
    builder.flowControlWindow(RECEIVE_WINDOW_BYTES);
    if (config.metadataSoftBytes() < config.metadataHardBytes()) {
      builder.maxInboundMetadataSize(config.metadataSoftBytes(), config.metadataHardBytes());
    } else {
      builder.maxInboundMetadataSize(config.metadataHardBytes());
    }
    // Requests may come compressed; answers never leave so: a token is too small to gain by it.
    CompressorRegistry identityOnly = CompressorRegistry.newEmptyInstance();
    identityOnly.register(Codec.Identity.NONE);
    builder.compressorRegistry(identityOnly);
  }

  private static void keepAlive(ListenerConfig.KeepAlive config, NettyServerBuilder builder) {
    builder
        .keepAliveTime(config.time().toNanos(), TimeUnit.NANOSECONDS)
        .keepAliveTimeout(config.timeout().toNanos(), TimeUnit.NANOSECONDS)
        .permitKeepAliveTime(config.permitTime().toNanos(), TimeUnit.NANOSECONDS)
        .permitKeepAliveWithoutCalls(config.permitWithoutCalls());
  }

  private static void connection(ListenerConfig.Connection config, NettyServerBuilder builder) {
    builder
        .maxConnectionAge(config.maxAge().toNanos(), TimeUnit.NANOSECONDS)
        .maxConnectionAgeGrace(config.maxAgeGrace().toNanos(), TimeUnit.NANOSECONDS)
        .maxConnectionIdle(config.maxIdle().toNanos(), TimeUnit.NANOSECONDS)
        .maxConcurrentCallsPerConnection(config.maxStreams())
        .maxRstFramesPerWindow(config.maxResets(), RESET_WINDOW_SECONDS)
        .handshakeTimeout(config.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }
}
