package inferencegateway.load;

import inferencegateway.http.CallLoop;
import inferencegateway.proto.orca.OpenRcaServiceGrpc;
import inferencegateway.proto.orca.OrcaLoadReport;
import inferencegateway.proto.orca.OrcaLoadReportRequest;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code xds.service.orca.v3.OpenRcaService}: load reports for clients that want them while no call
 * ends.
 *
 * <p>Thread: each stream on its call's loop; {@link #complete} and {@link #isWatched} from any.
 */
public final class LoadStreams {

  /** Figures hardly change sooner, and many clients may ask. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofHours(1);

  private final LoadMeter meter;
  private final Supplier<CallLoop> currentLoop;
  private final Set<Stream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean completing;

  /**
   * @param currentLoop the loop of the calling thread; asked once a call, on its loop
   */
  public LoadStreams(LoadMeter meter, Supplier<CallLoop> currentLoop) {
    this.meter = meter;
    this.currentLoop = currentLoop;
  }

  public ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(OpenRcaServiceGrpc.getServiceDescriptor())
        .addMethod(OpenRcaServiceGrpc.getStreamCoreMetricsMethod(), this::begin)
        .build();
  }

  /** Whether somebody gets reports now. */
  public boolean isWatched() {
    return !open.isEmpty();
  }

  /** Ends every stream with OK, and later ones after their first report: none holds up a drain. */
  public void complete() {
    completing = true;
    open.forEach(Stream::completeSoon);
  }

  private ServerCall.Listener<OrcaLoadReportRequest> begin(
      ServerCall<OrcaLoadReportRequest, OrcaLoadReport> call, Metadata headers) {
    call.request(1);
    return new Stream(call, currentLoop.get());
  }

  /** Nearly all clients ask for whole seconds; anything else is brought into bounds. */
  private static Duration interval(OrcaLoadReportRequest request) {
    com.google.protobuf.Duration asked = request.getReportInterval();
    if (asked.getSeconds() < SHORTEST.toSeconds()) {
      return SHORTEST;
    }
    return asked.getSeconds() >= LONGEST.toSeconds()
        ? LONGEST
        : Duration.ofSeconds(asked.getSeconds(), Math.max(0, asked.getNanos()));
  }

  private final class Stream extends ServerCall.Listener<OrcaLoadReportRequest> {
    private final ServerCall<OrcaLoadReportRequest, OrcaLoadReport> call;
    private final CallLoop loop;
    private Duration interval = SHORTEST;
    private CallLoop.@Nullable Timer next;
    private boolean ended;

    Stream(ServerCall<OrcaLoadReportRequest, OrcaLoadReport> call, CallLoop loop) {
      this.call = call;
      this.loop = loop;
    }

    @Override
    public void onMessage(OrcaLoadReportRequest request) {
      interval = interval(request);
    }

    @Override
    public void onHalfClose() {
      open.add(this);
      call.sendHeaders(new Metadata());
      report();
      if (completing) { // complete() may have looked before the first line.
        complete();
      }
    }

    /** A client that does not read gets the next one that it has room for. */
    private void report() {
      if (ended) {
        return;
      }
      if (call.isReady()) {
        call.sendMessage(meter.latest().message());
      }
      next = loop.schedule(interval, this::report);
    }

    void completeSoon() {
      loop.execute(this::complete);
    }

    private void complete() {
      if (!ended) {
        gone();
        call.close(Status.OK, new Metadata());
      }
    }

    private void gone() {
      ended = true;
      open.remove(this);
      if (next != null) {
        next.cancel();
      }
    }

    @Override
    public void onCancel() {
      gone();
    }

    @Override
    public void onComplete() {
      gone();
    }
  }
}
