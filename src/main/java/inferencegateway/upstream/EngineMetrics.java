package inferencegateway.upstream;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the few figures of a {@code /metrics} page, in Prometheus' text format, that tell how busy
 * the engine is. Names of vLLM (also the older ones), SGLang and llama.cpp; everything else on the
 * page is passed over, whatever it looks like.
 */
final class EngineMetrics {

  private static final Set<String> RUNNING =
      Set.of(
          "vllm:num_requests_running", "sglang:num_running_reqs", "llamacpp:requests_processing");
  private static final Set<String> WAITING =
      Set.of("vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred");
  private static final Set<String> CACHE =
      Set.of(
          "vllm:kv_cache_usage_perc",
          "vllm:gpu_cache_usage_perc",
          "sglang:token_usage",
          "llamacpp:kv_cache_usage_ratio");

  private boolean saysRunning;
  private boolean saysWaiting;
  private double running;
  private double waiting;
  private double cache = -1;

  private EngineMetrics() {}

  /** Null when the page does not say how many run and wait. Several engines are taken together. */
  static @Nullable EngineLoad read(byte[] page, int length) {
    EngineMetrics metrics = new EngineMetrics();
    new String(page, 0, length, StandardCharsets.UTF_8).lines().forEach(metrics::line);
    return metrics.saysRunning && metrics.saysWaiting
        ? new EngineLoad(metrics.running, metrics.waiting, metrics.cache)
        : null;
  }

  private void line(String line) {
    int nameEnd = nameEnd(line);
    if (nameEnd <= 0) {
      return;
    }
    String name = line.substring(0, nameEnd);
    if (RUNNING.contains(name)) {
      saysRunning |= isCount(value(line, nameEnd));
      running += Math.max(0, orZero(value(line, nameEnd)));
    } else if (WAITING.contains(name)) {
      saysWaiting |= isCount(value(line, nameEnd));
      waiting += Math.max(0, orZero(value(line, nameEnd)));
    } else if (CACHE.contains(name) && isCount(value(line, nameEnd))) {
      cache = Math.max(cache, Math.min(1, value(line, nameEnd)));
    }
  }

  /** Comments have none. */
  private static int nameEnd(String line) {
    if (line.startsWith("#")) {
      return -1;
    }
    int brace = line.indexOf('{');
    return brace >= 0 ? brace : line.indexOf(' ');
  }

  /** NaN for what is no number. Label values may hold spaces and braces, numbers do not. */
  private static double value(String line, int nameEnd) {
    int from = line.lastIndexOf('}') + 1;
    String[] words = line.substring(Math.max(from, nameEnd)).strip().split(" ", 2);
    try {
      return Double.parseDouble(words[0]);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static boolean isCount(double value) {
    return value >= 0 && value < 1e9;
  }

  private static double orZero(double value) {
    return isCount(value) ? value : 0;
  }
}
