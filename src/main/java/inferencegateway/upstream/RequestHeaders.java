package inferencegateway.upstream;

import inferencegateway.chat.Tracking;
import inferencegateway.config.Secret;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only headers that are ever sent. Nothing of a caller's gets in but its request id and its
 * trace, both checked.
 */
final class RequestHeaders {

  private final String userAgent;
  private final Supplier<@Nullable Secret> apiKey;

  /**
   * @param apiKey asked once a request: it may change
   */
  RequestHeaders(String version, Supplier<@Nullable Secret> apiKey) {
    this.userAgent = "inference-gateway/" + version;
    this.apiKey = apiKey;
  }

  /**
   * @param tracking checked by whoever took it. A random suffix makes its request id new for the
   *     backend: older vLLM mixes up two running requests of one id.
   */
  Map<String, String> chat(boolean stream, Tracking tracking) {
    Map<String, String> headers = fixed(stream ? "text/event-stream" : "application/json");
    headers.put("content-type", "application/json");
    headers.put("x-request-id", tracking.requestId() + "-" + suffix());
    if (!tracking.traceParent().isEmpty()) {
      headers.put("traceparent", tracking.traceParent());
    }
    if (!tracking.traceState().isEmpty()) {
      headers.put("tracestate", tracking.traceState());
    }
    return headers;
  }

  Map<String, String> probe() {
    return fixed("application/json");
  }

  private Map<String, String> fixed(String accept) {
    Map<String, String> headers = new HashMap<>();
    headers.put("user-agent", userAgent);
    headers.put("accept", accept);
    Secret key = apiKey.get();
    if (key != null) {
      headers.put("authorization", "Bearer " + key.value());
    }
    return headers;
  }

  private static String suffix() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }
}
