package inferencegateway.server;

import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.NameResolver;
import io.grpc.NameResolver.ResolutionResult;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** A channel that spreads its calls over two ports, as one behind a load balancer would. */
final class TwoServers extends NameResolverProvider {

  private final List<EquivalentAddressGroup> addresses;

  private TwoServers(int... ports) {
    addresses =
        Arrays.stream(ports)
            .mapToObj(port -> new EquivalentAddressGroup(new InetSocketAddress("127.0.0.1", port)))
            .toList();
  }

  static ManagedChannel channel(int... ports) {
    TwoServers resolver = new TwoServers(ports);
    NameResolverRegistry.getDefaultRegistry().register(resolver);
    try {
      return NettyChannelBuilder.forTarget("two:///servers")
          .defaultLoadBalancingPolicy("round_robin")
          .usePlaintext()
          .build();
    } finally {
      NameResolverRegistry.getDefaultRegistry().deregister(resolver);
    }
  }

  @Override
  public NameResolver newNameResolver(URI target, NameResolver.Args args) {
    return new NameResolver() {
      @Override
      public String getServiceAuthority() {
        return "localhost";
      }

      @Override
      public void start(Listener2 listener) {
        listener.onResult(
            ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromValue(addresses))
                .build());
      }

      @Override
      public void shutdown() {}
    };
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return 5;
  }

  @Override
  public String getDefaultScheme() {
    return "two";
  }
}
