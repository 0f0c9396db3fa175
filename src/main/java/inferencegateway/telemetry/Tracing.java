package inferencegateway.telemetry;

import inferencegateway.chat.Tracking;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Makes the spans of calls, or none. Thread-safe. */
public final class Tracing {

  /** Makes none. */
  public static final Tracing OFF = new Tracing(null);

  private static final String SCOPE = "inference-gateway";

  private final @Nullable Tracer tracer;

  private Tracing(@Nullable Tracer tracer) {
    this.tracer = tracer;
  }

  static Tracing by(TracerProvider spans) {
    return new Tracing(spans.get(SCOPE));
  }

  /** Makes spans as this one does, and nobody gets them: for calls of our own. */
  public Tracing unseen() {
    return tracer == null ? OFF : by(SdkTracerProvider.builder().build());
  }

  /**
   * A call's headers are in.
   *
   * @param tracking the caller's trace, which the call becomes part of
   * @param method full name of one that there is
   * @param caller the name it is known by; empty where callers are not told apart
   */
  public CallTrace arrived(
      Tracking tracking,
      String method,
      @Nullable SocketAddress peer,
      String caller,
      boolean streaming) {
    if (tracer == null) {
      return new NoSpans(tracking);
    }
    SpanBuilder span =
        tracer
            .spanBuilder(method)
            .setSpanKind(SpanKind.SERVER)
            .setParent(TraceContext.of(tracking))
            .setAttribute(TraceNames.RPC_SYSTEM, "grpc")
            .setAttribute(TraceNames.RPC_METHOD, method)
            .setAttribute(TraceNames.OPERATION, SpannedCall.CHAT)
            .setAttribute(TraceNames.STREAM, streaming)
            .setAttribute(TraceNames.REQUEST_ID, tracking.requestId());
    if (!caller.isEmpty()) {
      span.setAttribute(TraceNames.CALLER, caller);
    }
    if (peer instanceof InetSocketAddress at && at.getAddress() != null) {
      span.setAttribute(TraceNames.PEER_ADDRESS, at.getAddress().getHostAddress())
          .setAttribute(TraceNames.PEER_PORT, (long) at.getPort());
    }
    return new SpannedCall(tracer, span.startSpan(), tracking.requestId());
  }
}
