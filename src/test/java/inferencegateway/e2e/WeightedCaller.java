package inferencegateway.e2e;

import static inferencegateway.e2e.Scene.ask;

import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** One client of several gateways, with the weighted_round_robin that grpc-java's users have. */
final class WeightedCaller implements AutoCloseable {

  private static final int AT_ONCE = 8;

  private final Addresses addresses;
  private final ManagedChannel channel;
  private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);

  private WeightedCaller(Addresses addresses, Map<String, ?> policy) {
    this.addresses = addresses;
    NameResolverRegistry.getDefaultRegistry().register(addresses);
    this.channel =
        NettyChannelBuilder.forTarget(addresses.getDefaultScheme() + ":///gateways")
            .usePlaintext()
            .disableRetry()
            .defaultServiceConfig(
                Map.of("loadBalancingConfig", List.of(Map.of("weighted_round_robin", policy))))
            .build();
  }

  static WeightedCaller of(boolean outOfBand, List<Integer> ports) {
    return of(outOfBand, 1, ports);
  }

  /**
   * @param errorPenalty what the share of errors adds to a gateway's utilization; 1 by default
   */
  static WeightedCaller of(boolean outOfBand, double errorPenalty, List<Integer> ports) {
    return new WeightedCaller(
        new Addresses(ports),
        Map.of(
            "blackoutPeriod", "0s",
            "weightUpdatePeriod", "0.1s",
            "errorUtilizationPenalty", errorPenalty,
            "enableOobLoadReport", outOfBand,
            "oobReportingPeriod", "1s"));
  }

  /** Makes so many calls, a few at a time; fails when one does. */
  void calls(int count) {
    if (tries(count) > 0) {
      throw new AssertionError("a call failed");
    }
  }

  /** Makes so many calls, a few at a time, and returns how many failed. */
  int tries(int count) {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      running.add(
          threads.submit(
              () ->
                  LLMServiceGrpc.newBlockingStub(channel)
                      .withDeadlineAfter(20, TimeUnit.SECONDS)
                      .complete(ask("").build())));
    }
    return (int) running.stream().filter(each -> !isGood(each)).count();
  }

  private static boolean isGood(Future<?> call) {
    try {
      call.get();
      return true;
    } catch (ExecutionException failed) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws InterruptedException {
    threads.shutdownNow();
    channel.shutdownNow();
    channel.awaitTermination(5, TimeUnit.SECONDS);
    NameResolverRegistry.getDefaultRegistry().deregister(addresses);
  }

  /** Gives every target the same addresses. */
  private static final class Addresses extends NameResolverProvider {
    private final List<Integer> ports;

    Addresses(List<Integer> ports) {
      this.ports = List.copyOf(ports);
    }

    @Override
    public String getDefaultScheme() {
      return "ports";
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
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
      return List.of(InetSocketAddress.class);
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
      return new NameResolver() {
        @Override
        public String getServiceAuthority() {
          return "gateways";
        }

        @Override
        public void start(Listener2 listener) {
          List<EquivalentAddressGroup> groups =
              ports.stream()
                  .map(port -> new EquivalentAddressGroup(new InetSocketAddress("127.0.0.1", port)))
                  .toList();
          listener.onResult(
              ResolutionResult.newBuilder()
                  .setAddressesOrError(StatusOr.fromValue(groups))
                  .setAttributes(Attributes.EMPTY)
                  .build());
        }

        @Override
        public void shutdown() {}
      };
    }
  }
}
