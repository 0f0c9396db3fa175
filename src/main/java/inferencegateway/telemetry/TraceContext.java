package inferencegateway.telemetry;

import inferencegateway.chat.Tracking;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/** Between W3C's headers, OpenTelemetry's contexts and the keys of log lines. */
public final class TraceContext {

  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";

  private static final TextMapGetter<Tracking> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Tracking carrier) {
          return List.of(PARENT, STATE);
        }

        @Override
        public @Nullable String get(@Nullable Tracking carrier, String key) {
          if (carrier == null) {
            return null;
          }
          return key.equals(PARENT) ? carrier.traceParent() : carrier.traceState();
        }
      };

  private TraceContext() {}

  /** The caller's trace; the root where it named none. */
  public static Context of(Tracking callers) {
    return callers.traceParent().isEmpty()
        ? Context.root()
        : W3CTraceContextPropagator.getInstance().extract(Context.root(), callers, HEADERS);
  }

  /** The same call, as part of the span in {@code context}. */
  static Tracking tracking(String requestId, Context context) {
    Map<String, String> headers = new HashMap<>(4);
    W3CTraceContextPropagator.getInstance()
        .inject(
            context,
            headers,
            (into, name, value) -> {
              if (into != null) {
                into.put(name, value);
              }
            });
    return new Tracking(
        requestId, headers.getOrDefault(PARENT, ""), headers.getOrDefault(STATE, ""));
  }

  /**
   * Says which trace a line is of: {@code trace_id}, and the call's own {@code span_id} and {@code
   * trace_flags} (01: sampled) where spans are made. The names are those of OpenTelemetry for logs
   * of other formats.
   */
  public static LoggingEventBuilder addTo(LoggingEventBuilder line, Context context) {
    SpanContext span = Span.fromContext(context).getSpanContext();
    if (!span.isValid()) {
      return line;
    }
    LoggingEventBuilder next = line.addKeyValue("trace_id", span.getTraceId());
    return span.isRemote()
        ? next
        : next.addKeyValue("span_id", span.getSpanId())
            .addKeyValue("trace_flags", span.getTraceFlags().asHex());
  }
}
