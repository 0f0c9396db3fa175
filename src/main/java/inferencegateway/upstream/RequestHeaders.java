package inferencegateway.upstream;

import inferencegateway.config.Secret;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The only headers that are ever sent. Nothing of a caller's gets in but its checked id. */
final class RequestHeaders {

  private final Map<String, String> fixed;

  RequestHeaders(String version, @Nullable Secret apiKey) {
    Map<String, String> headers = new HashMap<>();
    headers.put("user-agent", "inference-gateway/" + version);
    if (apiKey != null) {
      headers.put("authorization", "Bearer " + apiKey.value());
    }
    fixed = Map.copyOf(headers);
  }

  /**
   * @param requestId checked by whoever took it. A random suffix makes it new for the backend:
   *     older vLLM mixes up two running requests of one id.
   */
  Map<String, String> chat(boolean stream, String requestId) {
    Map<String, String> headers = new HashMap<>(fixed);
    headers.put("content-type", "application/json");
    headers.put("accept", stream ? "text/event-stream" : "application/json");
    headers.put("x-request-id", requestId + "-" + suffix());
    return headers;
  }

  Map<String, String> probe() {
    Map<String, String> headers = new HashMap<>(fixed);
    headers.put("accept", "application/json");
    return headers;
  }

  private static String suffix() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }
}
