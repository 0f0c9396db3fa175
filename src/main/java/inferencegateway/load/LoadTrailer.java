package inferencegateway.load;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/** Puts the latest load report into the trailers of every call of the two contracts. */
public final class LoadTrailer implements ServerInterceptor {

  static final Metadata.Key<byte[]> KEY =
      Metadata.Key.of("endpoint-load-metrics-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final LoadMeter meter;

  public LoadTrailer(LoadMeter meter) {
    this.meter = meter;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    boolean isLoad = !method.startsWith("grpc.") && !method.startsWith("xds.");
    return next.startCall(isLoad ? new ReportingCall<>(call, meter) : call, headers);
  }

  private static final class ReportingCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final LoadMeter meter;

    ReportingCall(ServerCall<Q, R> call, LoadMeter meter) {
      super(call);
      this.meter = meter;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      trailers.put(KEY, meter.latest().bytes());
      super.close(status, trailers);
    }
  }
}
