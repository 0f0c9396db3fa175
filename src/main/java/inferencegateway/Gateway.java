package inferencegateway;

import inferencegateway.admission.Capacity;
import inferencegateway.api.UnknownMethods;
import inferencegateway.call.AbruptEnd;
import inferencegateway.call.InboundBytes;
import inferencegateway.call.RequestMemory;
import inferencegateway.chat.Reason;
import inferencegateway.cli.RunningGateway;
import inferencegateway.cli.Version;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.HostPort;
import inferencegateway.health.HostReadings;
import inferencegateway.health.LoadWatch;
import inferencegateway.health.Prober;
import inferencegateway.health.Pulse;
import inferencegateway.health.Readiness;
import inferencegateway.health.Strain;
import inferencegateway.http.HttpClient;
import inferencegateway.http.Loops;
import inferencegateway.server.DirectMemory;
import inferencegateway.server.Drain;
import inferencegateway.server.DrainHeader;
import inferencegateway.server.GrpcListener;
import inferencegateway.server.HealthListener;
import inferencegateway.server.LibraryLog;
import inferencegateway.server.Served;
import inferencegateway.telemetry.AccessLog;
import inferencegateway.telemetry.CallOutcome;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.upstream.OpenAiBackend;
import inferencegateway.upstream.ProbeAnswer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One gateway: every room made top to bottom, opened in that order and closed in reverse.
 *
 * <p>Thread: {@link #start} on one; everything else from anywhere.
 */
public final class Gateway implements RunningGateway {

  /** How often to look at what runs out. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final AccessLog log = new AccessLog();
  private final LibraryLog libraryLog = new LibraryLog();
  private final Readiness readiness = new Readiness();
  private final Strain strain = new Strain(new HostReadings(DirectMemory::share), readiness);
  private final Pulse strainPulse = new Pulse("strain", LOOK, strain::look);
  private final RequestMemory requestMemory = RequestMemory.ofThisProcess();

  private final Loops loops;
  private final CallPath path;
  private final GrpcListener listener;
  private final @Nullable HealthListener healthListener;

  private final Loops probeLoop;
  private final HttpClient probeHttp;
  private final OpenAiBackend probed;
  private final Prober prober;
  private final Pulse loadPulse;

  private final WarmUp warmUp;
  private final Drain drain;

  /** The first stop runs, later ones wait for it. */
  private final AtomicBoolean stopping = new AtomicBoolean();

  private final CountDownLatch stopped = new CountDownLatch(1);

  private Gateway(GatewayConfig config) {
    this.loops = new Loops("gateway", Runtime.getRuntime().availableProcessors());
    loops.start();
    this.path = CallPath.of(config, loops, strain::isShortOfMemory, this::callOver);
    this.listener =
        new GrpcListener(
            config.listener(),
            loops.bossGroup(),
            loops.group(),
            loops.serverChannelType(),
            served());
    HostPort healthAddress = config.listener().healthListen();
    this.healthListener =
        healthAddress == null ? null : new HealthListener(healthAddress, readiness.service());
    this.probeLoop = new Loops("probe", 1);
    probeLoop.start();
    this.probeHttp = probeClient(config);
    this.probed = new OpenAiBackend(probeHttp::send, config.upstream(), Version.of("version"));
    this.prober = new Prober(config.health(), this::probe, readiness, path.backend()::served);
    this.loadPulse = new Pulse("backend-load", LOOK, loadWatch()::look);
    this.warmUp = new WarmUp(config, loops, readiness::warm);
    this.drain =
        new Drain(
            config.drain(),
            listener,
            new Drain.Steps(readiness::drain, readiness::completeWatches, path.calls()::shutDown));
  }

  /**
   * Opens the ports and begins to watch the backend. Ready comes later.
   *
   * @throws IOException says which setting, which address or file, and why; nothing is left running
   */
  public static Gateway start(GatewayConfig config) throws IOException {
    Gateway gateway = new Gateway(config);
    try {
      gateway.open();
    } catch (IOException | RuntimeException e) {
      gateway.release();
      throw e;
    }
    return gateway;
  }

  private void open() throws IOException {
    libraryLog.quieten();
    listener.start();
    if (healthListener != null) {
      healthListener.start();
    }
    prober.start();
    loadPulse.start();
    strainPulse.start();
    warmUp.start();
  }

  private Served served() {
    return new Served(
        List.of(
            path.services().inference(readiness::isReady, path.routes()::defaultModel),
            path.services().llm(),
            readiness.service()),
        new UnknownMethods(),
        List.of(new DrainHeader(readiness::isDraining)),
        List.of(new AbruptEnd.Factory(), new InboundBytes.Factory(requestMemory)));
  }

  /**
   * Probes have a loop and connections of their own: calls never wait for them, nor they for calls.
   */
  private HttpClient probeClient(GatewayConfig config) {
    HttpClient client =
        new HttpClient(
            probeLoop,
            config.upstream().backend(),
            config.health().timeout(),
            config.upstream().idle());
    client.start();
    return client;
  }

  private void probe(Duration timeout, Consumer<ProbeAnswer> done) {
    probed.probe(probeLoop.next(), timeout, done);
  }

  /** Only where calls run: an idle backend is left alone. */
  private LoadWatch loadWatch() {
    Capacity capacity = path.backend().capacity();
    return new LoadWatch(
        done -> probed.load(probeLoop.next(), LOOK, done),
        () -> capacity.running() > 0,
        load -> path.gate().told(capacity, load.running(), load.waiting(), load.cache()));
  }

  private void callOver(CallRecord call) {
    log.record(call);
    if (Reason.NO_SOCKETS.name().equals(call.reason())) {
      strain.sawNoSockets();
    }
    if (call.outcome() == CallOutcome.UPSTREAM_5XX) {
      prober.sawServerError();
    }
  }

  @Override
  public int port() {
    return listener.port();
  }

  @Override
  public int healthPort() {
    return healthListener == null ? -1 : healthListener.port();
  }

  @Override
  public boolean awaitReady(Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (!readiness.isReady()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
    return true;
  }

  /** Calls that run now. */
  public int runningCalls() {
    return path.calls().running();
  }

  /** Calls that the backend is given at once, as found out so far. */
  public int admissionLimit() {
    return path.backend().capacity().limit();
  }

  @Override
  public void drainAndStop() {
    if (stopping.compareAndSet(false, true)) {
      drain.run();
      release();
      stopped.countDown();
    } else {
      awaitStopped();
    }
  }

  @Override
  public void stopNow() {
    drain.stopNow();
    drainAndStop();
  }

  @Override
  public void close() {
    stopNow();
  }

  @Override
  public void awaitTermination() throws InterruptedException {
    stopped.await();
  }

  private void awaitStopped() {
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void release() {
    warmUp.close();
    strainPulse.close();
    loadPulse.close();
    prober.stop();
    probeHttp.close();
    probeLoop.close();
    if (healthListener != null) {
      healthListener.close();
    }
    path.close();
    loops.close();
  }
}
