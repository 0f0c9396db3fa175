package inferencegateway.testing;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A span as a collector got it.
 *
 * @param error the status' description where the status is an error; else empty
 * @param attributes as texts
 * @param events names in order
 */
public record SeenSpan(
    String name,
    Span.SpanKind kind,
    String traceId,
    String spanId,
    String parentId,
    String traceState,
    boolean failed,
    String error,
    Map<String, String> attributes,
    List<String> events,
    Span raw) {

  static SeenSpan of(Span span) {
    HexFormat hex = HexFormat.of();
    boolean failed = span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR;
    return new SeenSpan(
        span.getName(),
        span.getKind(),
        hex.formatHex(span.getTraceId().toByteArray()),
        hex.formatHex(span.getSpanId().toByteArray()),
        hex.formatHex(span.getParentSpanId().toByteArray()),
        span.getTraceState(),
        failed,
        failed ? span.getStatus().getMessage() : "",
        texts(span.getAttributesList()),
        span.getEventsList().stream().map(Span.Event::getName).toList(),
        span);
  }

  private static Map<String, String> texts(List<KeyValue> pairs) {
    return pairs.stream()
        .collect(
            Collectors.toMap(
                KeyValue::getKey, pair -> text(pair.getValue()), (a, b) -> b, TreeMap::new));
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream().map(SeenSpan::text).toList().toString();
      default -> value.toString();
    };
  }

  public boolean isServer() {
    return kind == Span.SpanKind.SPAN_KIND_SERVER;
  }

  public boolean isClient() {
    return kind == Span.SpanKind.SPAN_KIND_CLIENT;
  }

  /** Empty where there is none. */
  public String get(String attribute) {
    return attributes.getOrDefault(attribute, "");
  }
}
