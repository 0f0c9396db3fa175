package inferencegateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inference.Inference.GenerateRequest;
import inference.Inference.TokenResponse;
import inferencegateway.Gateway;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.RecordingObserver;
import inferencegateway.testing.SeedCallers;
import inferencegateway.testing.TcpProxy;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Gateways come and go; their callers do not notice. */
class RollingRestartTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int RESTARTS = 20;

  @Test
  void restartsAtRandomMomentsAreNotNoticedByCallersWithASecondGateway() throws Exception {
    try (Simulator simulator = simulator()) {
      Gateway[] gateways = {gateway(simulator, 0), gateway(simulator, 0)};
      int[] ports = {gateways[0].port(), gateways[1].port()};
      ManagedChannel channel = channel(ports);
      Load load = new Load(channel);
      try {
        load.start();
        Random random = new Random(7);
        for (int i = 0; i < RESTARTS; i++) {
          load.awaitMore(5 + random.nextInt(40));
          gateways[i % 2].drainAndStop();
          gateways[i % 2] = gateway(simulator, ports[i % 2]);
          awaitCallsOn(gateways[i % 2], channel);
        }
        load.stop();
        assertEquals(List.of(), List.copyOf(load.errors));
        assertTrue(load.done.get() > RESTARTS * 5, load.done + " calls");
      } finally {
        load.stop();
        channel.shutdownNow();
        channel.awaitTermination(5, TimeUnit.SECONDS);
        gateways[0].close();
        gateways[1].close();
      }
    }
  }

  @Test
  void anOldConnectionIsReplacedWhileItsStreamGoesOn() {
    try (Rig rig =
            Rig.start(
                sim ->
                    sim.withPace(Duration.ofMillis(5), Duration.ofMillis(30)).withAnswerTokens(100),
                Map.of("connection.max-age", "1s", "model", "simulated-model"));
        TcpProxy proxy = TcpProxy.before(rig.port());
        var callers = new Callers(proxy.port())) {
      SeedCallers seeds = callers.seeds();
      RecordingObserver<GenerateRequest, TokenResponse> stream = RecordingObserver.eager();
      inference.InferenceServiceGrpc.newStub(seeds.inference().getChannel())
          .generateStream(SeedCallers.generateRequest("Hi"), stream);
      stream.awaitMessages(1, LONG);
      while (proxy.accepted() < 2) {
        assertFalse(stream.isEnded(), "still on one connection");
        seeds.health();
      }
      assertTrue(stream.awaitEnd(LONG).isOk());
      assertEquals(101, stream.messages().size());
    }
  }

  /** One is only restarted when the other one has callers: the client backs off in between. */
  private static void awaitCallsOn(Gateway gateway, ManagedChannel channel) {
    channel.resetConnectBackoff();
    Eventually.within(LONG).assertThat("it is called", () -> gateway.runningCalls() > 0);
  }

  private static Simulator simulator() {
    Simulator simulator =
        new Simulator(
            SimulatorConfig.defaults()
                .withPace(Duration.ofMillis(5), Duration.ofMillis(5))
                .withAnswerTokens(20)
                .withJournal(false));
    simulator.start();
    return simulator;
  }

  private static Gateway gateway(Simulator simulator, int port) throws InterruptedException {
    Gateway gateway =
        Rig.gateway(
            "http://127.0.0.1:" + simulator.port() + "/v1",
            Map.of(
                "listen", "127.0.0.1:" + port,
                "model", "simulated-model",
                "drain.pause", "50ms",
                "drain.grace", "10s"));
    assertTrue(gateway.awaitReady(LONG));
    return gateway;
  }

  /** To both, in turn, as a service mesh or a headless service makes clients do. */
  private static ManagedChannel channel(int[] ports) {
    String scheme = "both" + ports[0];
    NameResolverRegistry.getDefaultRegistry().register(new Both(scheme, ports));
    return NettyChannelBuilder.forTarget(scheme + ":///")
        .usePlaintext()
        .defaultLoadBalancingPolicy("round_robin")
        .build();
  }

  /** Unary calls and streams, one after another on each of a few threads. */
  private static final class Load {
    final AtomicInteger done = new AtomicInteger();
    final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final SeedCallers seeds;
    private volatile boolean over;
    private final List<Thread> threads =
        IntStream.range(0, 6).mapToObj(i -> new Thread(() -> run(i), "load-" + i)).toList();

    Load(ManagedChannel channel) {
      this.seeds = new SeedCallers(channel);
    }

    void start() {
      threads.forEach(Thread::start);
    }

    void awaitMore(int calls) {
      int enough = done.get() + calls;
      Eventually.within(LONG)
          .assertThat(calls + " more calls", () -> done.get() >= enough || !errors.isEmpty());
    }

    void stop() throws InterruptedException {
      over = true;
      for (Thread thread : threads) {
        thread.join(LONG.toMillis());
      }
    }

    private void run(int number) {
      while (!over) {
        try {
          if (number % 2 == 0) {
            assertFalse(seeds.generate("Hi").getContent().isEmpty());
          } else {
            assertEquals(21, seeds.generateStream("Hi").size());
          }
          done.incrementAndGet();
        } catch (StatusRuntimeException | AssertionError e) {
          errors.add(e.toString());
          return;
        }
      }
    }
  }

  private static final class Both extends NameResolverProvider {
    private final String scheme;
    private final List<EquivalentAddressGroup> addresses;

    Both(String scheme, int[] ports) {
      this.scheme = scheme;
      this.addresses =
          IntStream.of(ports)
              .mapToObj(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .map(EquivalentAddressGroup::new)
              .toList();
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
      return scheme;
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
          listener.onResult(
              ResolutionResult.newBuilder()
                  .setAddressesOrError(StatusOr.fromValue(addresses))
                  .setAttributes(Attributes.EMPTY)
                  .build());
        }

        @Override
        public void shutdown() {}
      };
    }
  }
}
