package inferencegateway.server;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.function.BooleanSupplier;

/**
 * Tells an Envoy in front, with every answer while draining, to send no more calls: faster than its
 * next health check. Belongs outermost, so that answers of other interceptors carry it too.
 */
public final class DrainHeader implements ServerInterceptor {

  static final Metadata.Key<String> FAIL_HEALTH_CHECK =
      Metadata.Key.of("x-envoy-immediate-health-check-fail", Metadata.ASCII_STRING_MARSHALLER);

  private final BooleanSupplier draining;

  /**
   * @param draining asked once per answer, from the call's loop
   */
  public DrainHeader(BooleanSupplier draining) {
    this.draining = draining;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return next.startCall(new MarkedCall<>(call, draining), headers);
  }

  private static final class MarkedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final BooleanSupplier draining;
    private boolean marked;

    MarkedCall(ServerCall<Q, R> call, BooleanSupplier draining) {
      super(call);
      this.draining = draining;
    }

    @Override
    public void sendHeaders(Metadata headers) {
      mark(headers);
      super.sendHeaders(headers);
    }

    /** Trailers are the whole answer of a failed call, and the only chance of a long stream. */
    @Override
    public void close(Status status, Metadata trailers) {
      mark(trailers);
      super.close(status, trailers);
    }

    private void mark(Metadata metadata) {
      if (!marked && draining.getAsBoolean()) {
        metadata.put(FAIL_HEALTH_CHECK, "true");
        marked = true;
      }
    }
  }
}
