package inferencegateway.simulator;

import java.util.Locale;

/** {@code /metrics} with vLLM's names, in Prometheus' text format. */
final class MetricsPage {

  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final String labels;
  private final Engine engine;
  private final StringBuilder page = new StringBuilder();

  MetricsPage(Engine engine) {
    this.engine = engine;
    this.labels =
        "engine=\"0\",model_name=\"" + Json.escape(engine.config().models().get(0)) + "\"";
  }

  String render() {
    Tally tally = engine.tally();
    head("gauge", "vllm:num_requests_running", "Requests in model execution batches.");
    line("vllm:num_requests_running", "", engine.slots().running());
    head("gauge", "vllm:num_requests_waiting", "Requests waiting to be processed.");
    line("vllm:num_requests_waiting", "", engine.slots().waiting());
    head("gauge", "vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.");
    double share = engine.slots().running() / (2.0 * engine.config().slots());
    page.append(String.format(Locale.ROOT, "vllm:kv_cache_usage_perc{%s} %.4f\n", labels, share));
    counter("vllm:prompt_tokens_total", "Prefill tokens processed.", tally.promptTokens.sum());
    counter(
        "vllm:generation_tokens_total",
        "Generation tokens processed.",
        tally.generationTokens.sum());
    head("counter", "vllm:request_success_total", "Successfully processed requests.");
    finished("stop", tally.stopped.sum());
    finished("length", tally.cutByLength.sum());
    finished("abort", tally.aborted.sum());
    finished("error", tally.faulted.sum());
    counter(
        "vllm:http_requests_client_disconnected_total",
        "Requests whose client left early.",
        tally.disconnected.sum());
    return page.toString();
  }

  private void counter(String name, String help, long value) {
    head("counter", name, help);
    line(name, "", value);
  }

  private void finished(String reason, long value) {
    line("vllm:request_success_total", ",finished_reason=\"" + reason + "\"", value);
  }

  private void head(String type, String name, String help) {
    page.append("# HELP ").append(name).append(' ').append(help).append('\n');
    page.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private void line(String name, String more, long value) {
    page.append(String.format(Locale.ROOT, "%s{%s%s} %d.0\n", name, labels, more, value));
  }
}
