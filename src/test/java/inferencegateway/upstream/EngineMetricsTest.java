package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EngineMetricsTest {

  private static final String VLLM =
      """
      # HELP vllm:num_requests_running Number of requests in model execution batches.
      # TYPE vllm:num_requests_running gauge
      vllm:num_requests_running{engine="0",model_name="a {b} c"} 7.0
      # TYPE vllm:num_requests_waiting gauge
      vllm:num_requests_waiting{engine="0",model_name="a {b} c"} 3.0
      vllm:kv_cache_usage_perc{engine="0",model_name="a {b} c"} 0.25
      vllm:num_requests_waiting_by_reason{reason="capacity"} 100.0
      process_open_fds 44.0
      """;

  private static @Nullable EngineLoad read(String page) {
    byte[] bytes = page.getBytes(UTF_8);
    return EngineMetrics.read(bytes, bytes.length);
  }

  @Test
  void readsVllm() {
    assertEquals(new EngineLoad(7, 3, 0.25), read(VLLM));
  }

  @Test
  void readsTheOldNameOfTheCache() {
    assertEquals(
        new EngineLoad(7, 3, 0.5),
        read(VLLM.replace("kv_cache_usage_perc", "gpu_cache_usage_perc").replace("0.25", "0.5")));
  }

  @Test
  void takesEnginesTogether() {
    assertEquals(
        new EngineLoad(14, 6, 0.75),
        read(VLLM + VLLM.replace("engine=\"0\"", "engine=\"1\"").replace("0.25", "0.75")));
  }

  @Test
  void readsOthers() {
    assertEquals(
        new EngineLoad(2, 1, -1),
        read("llamacpp:requests_processing 2\nllamacpp:requests_deferred 1\n"));
    assertEquals(
        new EngineLoad(2, 1, 0.1),
        read(
            "sglang:num_running_reqs{model_name=\"m\"} 2.0 1700000000000\r\n"
                + "sglang:num_queue_reqs 1.0\nsglang:token_usage 0.1"));
  }

  @Test
  void whatIsNotSaidIsNotMadeUp() {
    assertNull(read(""));
    assertNull(read("vllm:num_requests_running 7.0\n"));
    assertNull(read("vllm:num_requests_running 7.0\nvllm:num_requests_waiting NaN\n"));
    assertNull(read("vllm:num_requests_running -1\nvllm:num_requests_waiting +Inf\n"));
    assertNull(read("<html>vllm:num_requests_running 7</html>"));
  }

  @Property(tries = 500)
  void readsAnythingWithoutComplaint(@ForAll String junk) {
    read(junk);
    read("vllm:num_requests_running" + junk + "\nvllm:num_requests_waiting{" + junk);
  }

  private final Backend backend = new Backend();
  private final List<@Nullable EngineLoad> answers = new ArrayList<>();

  private FakeTransport.Sent ask() {
    backend.backend.load(backend.loop, Duration.ofSeconds(1), answers::add);
    backend.loop.run();
    return backend.wire();
  }

  @Test
  void asksAtTheRootOfTheServer() {
    FakeTransport.Sent sent = ask();
    assertEquals("/metrics", sent.request.path());
    sent.json(200, VLLM);
    assertEquals(List.of(new EngineLoad(7, 3, 0.25)), answers);
    assertEquals(0, backend.loop.timersLeft());
  }

  @Test
  void aBackendWithoutMetricsDoesNotSay() {
    ask().json(404, VLLM);
    assertEquals(1, answers.size());
    assertNull(answers.get(0));
    assertEquals(0, backend.loop.timersLeft());
  }
}
