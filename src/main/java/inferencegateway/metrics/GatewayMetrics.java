package inferencegateway.metrics;

import inferencegateway.chat.Reason;
import inferencegateway.health.Readiness;
import inferencegateway.telemetry.AttemptRecord;
import inferencegateway.telemetry.CallListener;
import inferencegateway.telemetry.CallRecord;
import inferencegateway.telemetry.Denial;
import io.grpc.ServerBuilder;
import io.grpc.opentelemetry.GrpcOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.instrumentation.runtimetelemetry.RuntimeTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All that is measured of one gateway. Thread-safe; nothing here waits.
 *
 * <p>Where nobody reads ({@link #none}) nothing is made and every call here does next to nothing.
 */
public final class GatewayMetrics implements CallListener, AutoCloseable {

  private static final String SCOPE = "inferencegateway";

  private final OpenTelemetry sdk;
  private final Meter meter;
  private final CallMetrics calls;
  private final BackendMetrics backends;
  private final ReloadMetrics reloads;
  private final LongCounter denials;
  private final @Nullable RuntimeTelemetry jvm;
  private final boolean isRead;

  private GatewayMetrics(
      OpenTelemetry sdk, boolean isRead, Predicate<String> knownModel, int mostCallers) {
    this.sdk = sdk;
    this.isRead = isRead;
    this.meter = sdk.getMeter(SCOPE);
    this.calls = new CallMetrics(meter, new CallSeries(knownModel, mostCallers));
    this.backends = new BackendMetrics(meter);
    this.reloads = new ReloadMetrics(meter);
    this.denials = Metric.DENIALS.counter(meter);
    this.jvm = isRead ? RuntimeTelemetry.create(sdk) : null;
    for (Reason reason : List.of(Reason.UNAUTHENTICATED, Reason.PERMISSION_DENIED)) {
      denials.add(0, Attributes.of(Label.REASON, reason.name()));
    }
  }

  /**
   * Measures.
   *
   * @param knownModel whether a model is one of the operator's or of the backends'; all others are
   *     one
   * @param mostCallers how many of them are told apart
   */
  public static GatewayMetrics with(
      OpenTelemetry sdk, Predicate<String> knownModel, int mostCallers) {
    return new GatewayMetrics(sdk, true, knownModel, mostCallers);
  }

  /** Nobody reads. */
  public static GatewayMetrics none() {
    return new GatewayMetrics(OpenTelemetry.noop(), false, any -> false, 0);
  }

  /** Adds gRPC's own metrics to a server. */
  public void observe(ServerBuilder<?> server) {
    if (isRead) {
      GrpcOpenTelemetry.newBuilder().sdk(sdk).build().configureServerBuilder(server);
    }
  }

  @Override
  public void over(CallRecord call) {
    if (isRead) {
      calls.over(call);
    }
  }

  @Override
  public void attempted(AttemptRecord attempt) {
    if (isRead) {
      calls.attempted(attempt);
    }
  }

  @Override
  public void upstreamClosed(CallRecord call, long nanos) {
    if (isRead) {
      calls.upstreamClosed(call, nanos);
    }
  }

  public void denied(Denial denial) {
    denials.add(1, Attributes.of(Label.REASON, denial.reason().name()));
  }

  /** These files were read at the start and are followed. */
  public void follows(List<Path> files) {
    reloads.follows(files);
  }

  public void reloaded(List<Path> files, boolean good) {
    reloads.reloaded(files, good);
  }

  /** Looks up states there from now on. Once. */
  public void follow(Sources sources) {
    backends.follow(meter, sources);
    follow(Metric.CALLS_IN_FLIGHT, () -> sources.inFlight().getAsInt());
    follow(Metric.QUEUE_LENGTH, () -> sources.waiting().getAsInt());
    follow(Metric.CONNECTIONS, () -> sources.connections().getAsInt());
    follow(Metric.CONNECTIONS_REFUSED, sources.connectionsRefused());
    follow(Metric.HANDSHAKES_FAILED, sources.handshakesFailed());
    ObservableLongMeasurement ends = Metric.CERTIFICATE_NOT_AFTER.observed(meter);
    meter.batchCallback(
        () ->
            sources
                .certificateEnds()
                .get()
                .forEach((file, end) -> ends.record(end, Attributes.of(Label.FILE, file))),
        ends);
    follow(Metric.HEALTH_WATCHES, () -> sources.watches().getAsInt());
    follow(Metric.REQUEST_MEMORY, sources.requestBytes());
    follow(Metric.DIRECT_USED, sources.directUsed());
    follow(Metric.DIRECT_LIMIT, sources.directLimit());
    follow(Metric.LOG_DROPPED, sources.logDropped());
    follow(Metric.SCRAPES_TURNED_AWAY, sources.scrapesTurnedAway());
    ObservableLongMeasurement state = Metric.GATEWAY_STATE.observed(meter);
    meter.batchCallback(() -> observe(state, sources.state().get()), state);
  }

  private void follow(Metric metric, LongSupplier source) {
    ObservableLongMeasurement observed = metric.observed(meter);
    meter.batchCallback(() -> observed.record(source.getAsLong()), observed);
  }

  private static void observe(ObservableLongMeasurement state, String now) {
    Readiness.WORDS.forEach(
        word -> state.record(word.equals(now) ? 1 : 0, Attributes.of(Label.STATE, word)));
  }

  /** The JVM's figures are followed no more. */
  @Override
  public void close() {
    if (jvm != null) {
      jvm.close();
    }
  }
}
