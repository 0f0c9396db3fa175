package inferencegateway;

import inferencegateway.api.Door;
import inferencegateway.api.UnknownMethods;
import inferencegateway.call.AbruptEnd;
import inferencegateway.call.InboundBytes;
import inferencegateway.call.RequestMemory;
import inferencegateway.call.Watchdog;
import inferencegateway.chat.Reason;
import inferencegateway.cli.RunningGateway;
import inferencegateway.cli.Version;
import inferencegateway.config.CertificateFile;
import inferencegateway.config.GatewayConfig;
import inferencegateway.config.HostPort;
import inferencegateway.config.Reloadable;
import inferencegateway.config.TlsConfig;
import inferencegateway.config.Watch;
import inferencegateway.health.HostReadings;
import inferencegateway.health.Pulse;
import inferencegateway.health.Readiness;
import inferencegateway.health.Strain;
import inferencegateway.http.Loops;
import inferencegateway.metrics.GatewayMetrics;
import inferencegateway.metrics.Sources;
import inferencegateway.route.Backend;
import inferencegateway.server.AnswerMark;
import inferencegateway.server.AnswerMarks;
import inferencegateway.server.DirectMemory;
import inferencegateway.server.Drain;
import inferencegateway.server.DrainHeader;
import inferencegateway.server.GrpcListener;
import inferencegateway.server.HealthListener;
import inferencegateway.server.LibraryLog;
import inferencegateway.server.Served;
import inferencegateway.telemetry.AccessLog;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.AuditLog;
import inferencegateway.telemetry.CallListener;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.telemetry.Logging;
import inferencegateway.telemetry.Telemetry;
import inferencegateway.upstream.EngineLoad;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One gateway: every room made top to bottom, opened in that order and closed in reverse.
 *
 * <p>Thread: {@link #start} on one; everything else from anywhere.
 */
public final class Gateway implements RunningGateway {

  /** How often to look at what runs out. */
  private static final Logger CERTIFICATES = LoggerFactory.getLogger(CertificateWatch.class);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final GatewayConfig config;
  private final Followed followed;
  private final Watch watch;
  private final Telemetry telemetry;
  private final AccessLog log = new AccessLog();
  private final GatewayMetrics metrics;
  private final AuditLog audit;
  private final LibraryLog libraryLog = new LibraryLog();
  private final Readiness readiness = new Readiness();
  private final Strain strain = new Strain(new HostReadings(DirectMemory::share), readiness);
  private final Pulse strainPulse = new Pulse("strain", LOOK, strain::look);
  private final RequestMemory requestMemory = RequestMemory.ofThisProcess();

  private final Loops loops;
  private final CallPath path;
  private final LoadReports loadReports;
  private final GrpcListener listener;
  private final @Nullable HealthListener healthListener;
  private final OperatorView operatorView;

  private final Probing probing;
  private final CertificateWatch certificates;
  private final Housekeeping housekeeping;

  private final WarmUp warmUp;
  private final Drain drain;

  /** The first stop runs, later ones wait for it. */
  private final AtomicBoolean stopping = new AtomicBoolean();

  private final CountDownLatch stopped = new CountDownLatch(1);

  private Gateway(GatewayConfig config, Followed followed, Telemetry telemetry) throws IOException {
    this.config = config;
    this.telemetry = telemetry;
    this.followed = followed;
    this.metrics =
        telemetry.measures()
            ? GatewayMetrics.with(telemetry.sdk(), this::knowsModel, followed.mostCallers())
            : GatewayMetrics.none();
    this.audit = new AuditLog(metrics::denied);
    this.watch = new Watch(config.reload().interval(), metrics::reloaded);
    this.loops = new Loops("gateway", Runtime.getRuntime().availableProcessors());
    loops.start();
    this.probing =
        Probing.started(
            config.health(),
            config.upstream(),
            this::backendsChanged,
            this::backendTells,
            this::isLoadWatched);
    BackendOpening opening = new BackendOpening(loops, config, probing);
    this.path =
        CallPath.of(
            config,
            loops,
            opening,
            strain::isShortOfMemory,
            new CallsHeard(),
            audit,
            telemetry.tracing());
    this.loadReports = new LoadReports(config.telemetry().loadReports(), path, loops);
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
    this.operatorView = new OperatorView(config, readiness, path, listener, loadReports.meter());
    this.certificates =
        new CertificateWatch(CertificateFile.of(config), Instant::now, CERTIFICATES::warn);
    this.housekeeping =
        new Housekeeping(
            path.fleet(),
            certificates,
            new Watchdog(
                path.calls(), path.routes(), config.health().stall(), this::backendsChanged));
    this.warmUp = new WarmUp(config, loops, telemetry.tracing(), readiness::warm);
    this.drain =
        new Drain(
            config.drain(),
            listener,
            new Drain.Steps(readiness::drain, this::completeWatches, path.calls()::shutDown));
    metrics.follow(sources(opening));
  }

  private Sources sources(BackendOpening opening) {
    return new Sources(
        path.routes()::backends,
        opening::connections,
        readiness::word,
        path.calls()::running,
        path.gate()::waiting,
        listener::connections,
        listener::rejectedConnections,
        listener::failedHandshakes,
        certificates::ends,
        readiness::openWatches,
        requestMemory::held,
        DirectMemory::used,
        DirectMemory::most,
        Logging::droppedSoFar,
        telemetry::scrapesTurnedAway);
  }

  /** Asked when a call is over, so that there is a path. */
  private boolean knowsModel(String name) {
    return path.routes().knows(name);
  }

  /**
   * Opens the ports and begins to watch the backend. Ready comes later.
   *
   * @throws IOException says which setting, which address or file, and why; nothing is left running
   */
  public static Gateway start(GatewayConfig config) throws IOException {
    Followed followed = Followed.open(config);
    Gateway gateway =
        new Gateway(config, followed, Telemetry.start(config.telemetry(), Version.of("version")));
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
    operatorView.start();
    path.fleet().start();
    loadReports.start();
    housekeeping.start();
    strainPulse.start();
    warmUp.start();
    followFiles();
  }

  private void followFiles() {
    Reloadable tls = listener.tls();
    if (tls != null) {
      follow(tls);
    }
    if (followed.callers() != null) {
      follow(followed.callers());
    }
    follow(path.fleet());
    watch.start();
  }

  private void follow(Reloadable reloadable) {
    watch.add(reloadable);
    if (!reloadable.files().isEmpty()) {
      metrics.follows(reloadable.files());
    }
  }

  private Door door() {
    TlsConfig tls = config.listener().tls();
    return new Door(followed.admitted(), tls != null && tls.clientCa() != null, audit);
  }

  private Served served() {
    Door door = door();
    List<ServerServiceDefinition> services =
        new ArrayList<>(
            List.of(
                path.services().inference(readiness::isReady, path.routes()::defaultModel),
                path.services().llm(),
                readiness.service()));
    services.addAll(loadReports.services());
    List<AnswerMark> marks = new ArrayList<>(List.of(new DrainHeader(readiness::isDraining)));
    marks.addAll(loadReports.marks());
    return new Served(
        services,
        new UnknownMethods(),
        List.of(new AnswerMarks(marks), door),
        List.of(new AbruptEnd.Factory(), new InboundBytes.Factory(requestMemory)),
        door::refusedHandshake,
        metrics::observe);
  }

  /** Any of them may have come or gone: the state of all, and who waits for a place. */
  private void backendsChanged() {
    readiness.upstream(path.routes().state());
    readiness.models(path.routes().modelsUp());
    path.gate().recheck();
  }

  private void backendTells(Backend backend, EngineLoad load) {
    path.gate().told(backend.capacity(), load.running(), load.waiting(), load.cache());
  }

  /** Asked by the probes, which begin before all is made. */
  private boolean isLoadWatched() {
    LoadReports reports = loadReports;
    return reports != null && reports.isWatched();
  }

  private void completeWatches() {
    readiness.completeWatches();
    loadReports.complete();
  }

  /** On each call's loop. */
  private final class CallsHeard implements CallListener {
    @Override
    public void over(CallRecord call) {
      log.record(call);
      metrics.over(call);
      loadReports.ended(call);
      operatorView.ended(call);
      if (Reason.NO_SOCKETS.name().equals(call.reason())) {
        strain.sawNoSockets();
      }
    }

    @Override
    public void attempted(AttemptRecord attempt) {
      metrics.attempted(attempt);
    }

    @Override
    public void upstreamClosed(CallRecord call, long nanos) {
      metrics.upstreamClosed(call, nanos);
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
  public int metricsPort() {
    return telemetry.metricsPort();
  }

  @Override
  public int adminPort() {
    return operatorView.port();
  }

  @Override
  public void reload() {
    watch.lookNow();
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

  /** Calls that the backends are given at once, as found out so far. */
  public int admissionLimit() {
    return path.routes().backends().stream().mapToInt(each -> each.capacity().limit()).sum();
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
    watch.close();
    warmUp.close();
    housekeeping.close();
    strainPulse.close();
    loadReports.close();
    operatorView.close();
    if (healthListener != null) {
      healthListener.close();
    }
    path.close();
    probing.close();
    loops.close();
    metrics.close();
    telemetry.close();
  }
}
