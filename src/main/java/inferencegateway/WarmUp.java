package inferencegateway;

import inferencegateway.config.AccessConfig;
import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.HostPort;
import inferencegateway.config.ListenerConfig;
import inferencegateway.config.RoutingConfig;
import inferencegateway.config.TelemetryConfig;
import inferencegateway.http.Loops;
import inferencegateway.server.GrpcListener;
import inferencegateway.server.Served;
import inferencegateway.simulator.Simulator;
import inferencegateway.simulator.SimulatorConfig;
import inferencegateway.telemetry.AuditLog;
import inferencegateway.telemetry.Tracing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls through a second, private copy of the whole path before the gateway calls itself
 * ready, so that the first caller does not pay for class loading. The backend in it is the
 * simulator: the real one never sees a call that nobody made.
 */
final class WarmUp implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  private final GatewayConfig config;
  private final Loops loops;
  private final Tracing tracing;
  private final Runnable warm;
  private final Thread thread = new Thread(this::run, "warm-up");
  private volatile boolean closed;

  /**
   * @param tracing the gateway's own, so that its code is warm too; nobody gets these spans
   */
  WarmUp(GatewayConfig config, Loops loops, Tracing tracing, Runnable warm) {
    this.config = config;
    this.loops = loops;
    this.tracing = tracing.unseen();
    this.warm = warm;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Gives up and waits for the thread: it uses the loops. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    long from = System.nanoTime();
    try {
      callOneself();
      LOG.debug("warm after {} ms", (System.nanoTime() - from) / 1_000_000);
    } catch (IOException | RuntimeException e) {
      LOG.warn("could not warm up; the first calls will be slow", e);
    }
    warm.run();
  }

  private void callOneself() throws IOException {
    try (Simulator simulator = new Simulator(instantAnswers())) {
      simulator.start();
      try (CallPath path = pathTo(simulator)) {
        GrpcListener listener = listener(path);
        listener.start();
        try {
          WarmUpCaller.call(listener.port(), () -> closed);
        } finally {
          listener.shutdownNow();
        }
      }
    }
  }

  private GrpcListener listener(CallPath path) {
    return new GrpcListener(
        loopbackOnly(),
        loops.bossGroup(),
        loops.group(),
        loops.serverChannelType(),
        new Served(
            List.of(path.services().inference(() -> true, () -> ""), path.services().llm()),
            null,
            List.of(),
            List.of()));
  }

  private static SimulatorConfig instantAnswers() {
    return SimulatorConfig.defaults()
        .withPace(Duration.ZERO, Duration.ZERO)
        .withAnswerTokens(16)
        .withJournal(false);
  }

  private CallPath pathTo(Simulator simulator) throws IOException {
    GatewayConfig towards = towards(simulator);
    return CallPath.of(
        towards,
        loops,
        new BackendOpening(loops, towards, null),
        () -> false,
        call -> {},
        new AuditLog(),
        tracing);
  }

  private GatewayConfig towards(Simulator simulator) {
    String url = "http://127.0.0.1:" + simulator.port() + "/v1";
    return new GatewayConfig(
        config.listener(),
        new AccessConfig(null, true),
        RoutingConfig.only(
            BackendUrl.parse(url),
            null,
            BackendTls.DEFAULT,
            new RoutingConfig.Initial("simulated-model", false, config.admission().running())),
        config.upstream(),
        config.call(),
        config.admission(),
        config.health(),
        config.drain(),
        config.reload(),
        new TelemetryConfig(null, null, true),
        config.log());
  }

  private ListenerConfig loopbackOnly() {
    ListenerConfig real = config.listener();
    return new ListenerConfig(
        new HostPort("127.0.0.1", 0),
        null,
        null,
        false,
        real.keepAlive(),
        real.connection(),
        real.maxConnections(),
        real.maxRequestBytes(),
        real.metadataSoftBytes(),
        real.metadataHardBytes());
  }
}
