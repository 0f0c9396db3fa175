package inferencegateway.e2e;

import inferencegateway.Gateway;
import inferencegateway.config.Settings;
import inferencegateway.proto.llm.v1.CompleteRequest;
import inferencegateway.proto.llm.v1.CompleteResponse;
import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import inferencegateway.proto.llm.v1.TokenChunk;
import inferencegateway.simulator.RecordedRequest;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.testing.Callers;
import inferencegateway.testing.CapturedMetadata;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.TcpProxy;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A gateway with several simulators behind it, each behind a proxy of its own: {@code b0}, {@code
 * b1} and so on in the routing file.
 */
final class Fleet implements AutoCloseable {

  static final Duration SOON = Duration.ofSeconds(10);

  /** Every probe is quick, so that tests are. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "listen", "127.0.0.1:0",
          "drain.pause", "0s",
          "drain.grace", "0s",
          "health.interval", "200ms",
          "health.down-interval", "100ms",
          "reload.interval", "100ms",
          "metrics-listen", "off",
          "admin-listen", "off");

  private final List<Simulator> simulators = new ArrayList<>();
  private final List<TcpProxy> proxies = new ArrayList<>();
  private final CallLog log = new CallLog();
  private final Path file;
  private final Gateway gateway;
  private final Callers callers;

  /** By how much each backend is to be preferred to the next; 1: not at all. */
  private final int slope;

  private Fleet(
      int size,
      UnaryOperator<SimulatorConfig> shape,
      int slope,
      String routes,
      Map<String, String> settings) {
    this.slope = slope;
    for (int i = 0; i < size; i++) {
      Simulator simulator = new Simulator(shape.apply(quick()));
      simulator.start();
      simulators.add(simulator);
      proxies.add(TcpProxy.before(simulator.port()));
    }
    try {
      file = Files.createTempFile("routes", ".yaml");
      routes(routes);
      Map<String, String> flags = new HashMap<>(SETTINGS);
      flags.put("routing.file", file.toString());
      flags.putAll(settings);
      gateway = Gateway.start(Settings.read(flags, Map.of()).config());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    callers = new Callers(gateway.port());
  }

  private static SimulatorConfig quick() {
    return SimulatorConfig.defaults()
        .withPace(Duration.ofMillis(5), Duration.ofMillis(2))
        .withAnswerTokens(20);
  }

  /** Every backend serves every model; ready on return. */
  static Fleet of(int size) {
    return of(size, "");
  }

  /**
   * @param models goes on after the list of all backends
   */
  static Fleet of(int size, String models) {
    return of(size, models, Map.of());
  }

  static Fleet of(int size, String models, Map<String, String> settings) {
    return of(size, sim -> sim, models, settings);
  }

  static Fleet of(
      int size, UnaryOperator<SimulatorConfig> shape, String models, Map<String, String> settings) {
    return of(size, shape, 1, models, settings);
  }

  /** The first backend is asked as long as it can be, then the second, and so on. */
  static Fleet inOrder(
      int size, UnaryOperator<SimulatorConfig> shape, String models, Map<String, String> settings) {
    return of(size, shape, 30, models, settings);
  }

  private static Fleet of(
      int size,
      UnaryOperator<SimulatorConfig> shape,
      int slope,
      String models,
      Map<String, String> settings) {
    Fleet fleet = new Fleet(size, shape, slope, models, settings);
    fleet.awaitHealth(ServingStatus.SERVING);
    return fleet;
  }

  /** Writes the routing file: all backends, then these lines. */
  void routes(String models) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < proxies.size(); i++) {
      all.add(i);
    }
    routes(all, models);
  }

  /** Writes the routing file: only these backends, then these lines. */
  void routes(List<Integer> backends, String models) {
    StringBuilder text = new StringBuilder("backends:\n");
    backends.forEach(
        i ->
            text.append(
                "  - {name: b%d, url: \"http://127.0.0.1:%d/v1\", weight: %d}\n"
                    .formatted(i, proxies.get(i).port(), weight(i))));
    write(text + models);
  }

  private int weight(int i) {
    int weight = 1;
    for (int after = i + 1; after < proxies.size(); after++) {
      weight *= slope;
    }
    return weight;
  }

  void write(String routes) {
    try {
      Files.writeString(file, routes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Simulator simulator(int i) {
    return simulators.get(i);
  }

  TcpProxy proxy(int i) {
    return proxies.get(i);
  }

  Gateway gateway() {
    return gateway;
  }

  Callers callers() {
    return callers;
  }

  CallLog log() {
    return log;
  }

  /** Chat requests that reached that backend. */
  List<RecordedRequest> chats(int i) {
    return simulators.get(i).chats();
  }

  int allChats() {
    return simulators.stream().mapToInt(each -> each.chats().size()).sum();
  }

  // --- callers ---

  /** One caller's connection with what it says of itself, and what it was told. */
  final class Caller {
    final CapturedMetadata told;
    private final Channel channel;

    private Caller(Map<String, String> says) {
      Metadata headers = new Metadata();
      says.forEach(
          (key, value) ->
              headers.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value));
      told = new CapturedMetadata(callers.channel());
      channel =
          ClientInterceptors.intercept(
              told.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    LLMServiceGrpc.LLMServiceBlockingStub stub() {
      return LLMServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    CompleteResponse complete(String model) {
      return stub().complete(ask(model));
    }

    List<TokenChunk> stream(String model) {
      List<TokenChunk> answer = new ArrayList<>();
      open(model).forEachRemaining(answer::add);
      return answer;
    }

    Iterator<TokenChunk> open(String model) {
      return stub().completeStream(ask(model));
    }

    String header(String name) {
      Metadata there = told.headers();
      String value =
          there == null ? null : there.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
      return value == null ? "" : value;
    }
  }

  Caller caller() {
    return new Caller(Map.of());
  }

  Caller caller(Map<String, String> says) {
    return new Caller(says);
  }

  Caller named(String requestId) {
    return caller(Map.of("x-request-id", requestId));
  }

  static CompleteRequest ask(String model) {
    return Scene.ask("").setModel(model).build();
  }

  /** The call's one line. */
  CallLog.Line line(String requestId) {
    Eventually.within(SOON).assertThat("a line", () -> !log.of(requestId).isEmpty());
    return log.of(requestId).element();
  }

  ServingStatus health() {
    return HealthGrpc.newBlockingStub(caller().channel)
        .check(HealthCheckRequest.newBuilder().setService("llm.v1.LLMService").build())
        .getStatus();
  }

  void awaitHealth(ServingStatus status) {
    HealthGrpc.HealthBlockingStub stub = HealthGrpc.newBlockingStub(callers.channel());
    Eventually.within(Duration.ofSeconds(20))
        .assertThat(
            status.name(),
            () ->
                stub.check(HealthCheckRequest.newBuilder().setService("llm.v1.LLMService").build())
                        .getStatus()
                    == status);
  }

  @Override
  public void close() {
    callers.close();
    gateway.close();
    proxies.forEach(TcpProxy::close);
    simulators.forEach(Simulator::close);
    log.close();
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
