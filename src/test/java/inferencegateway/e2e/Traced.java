package inferencegateway.e2e;

import inferencegateway.testing.Collector;
import inferencegateway.testing.Eventually;
import inferencegateway.testing.SeenSpan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A collector, and gateways that send their spans there. */
final class Traced implements AutoCloseable {

  private static final String ENDPOINT = "otel.exporter.otlp.endpoint";

  private final Collector collector = Collector.start();

  Collector collector() {
    return collector;
  }

  /**
   * What starts meanwhile sends its spans here. OpenTelemetry takes its variables as properties of
   * the process too, which a test can set.
   *
   * @param more further properties
   */
  <T> T during(Map<String, String> more, Supplier<T> start) {
    Map<String, String> properties = new HashMap<>();
    properties.put(ENDPOINT, collector.endpoint());
    properties.put("otel.bsp.schedule.delay", "20");
    properties.putAll(more);
    properties.forEach(System::setProperty);
    try {
      return start.get();
    } finally {
      properties.keySet().forEach(System::clearProperty);
    }
  }

  <T> T during(Supplier<T> start) {
    return during(Map.of(), start);
  }

  /** The caller's span of that call. */
  SeenSpan server(String requestId) {
    return Eventually.within(Scene.SOON)
        .get(
            () ->
                collector.spans().stream()
                    .filter(SeenSpan::isServer)
                    .filter(span -> span.get("inference_gateway.request_id").equals(requestId))
                    .findFirst()
                    .orElse(null));
  }

  /** The attempts below that span, in order. They are over before it is. */
  List<SeenSpan> attempts(SeenSpan server) {
    return collector.spans().stream()
        .filter(SeenSpan::isClient)
        .filter(span -> span.parentId().equals(server.spanId()))
        .sorted((a, b) -> a.get(ATTEMPT).compareTo(b.get(ATTEMPT)))
        .toList();
  }

  private static final String ATTEMPT = "inference_gateway.attempt";

  @Override
  public void close() {
    collector.close();
  }
}
