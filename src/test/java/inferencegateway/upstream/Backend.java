package inferencegateway.upstream;

import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.chat.Tracking;
import inferencegateway.config.ApiKey;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.BackendTls;
import inferencegateway.config.BackendUrl;
import inferencegateway.config.UpstreamConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A backend with everything around it under the test's hand. */
final class Backend {

  static final String KEY = "my-own-secret-key";

  final FakeLoop loop = new FakeLoop();
  final FakeTransport transport = new FakeTransport();
  final RecordingListener listener = new RecordingListener();
  final OpenAiBackend backend;

  Backend() {
    this(false, 16 << 20, 4 << 20);
  }

  Backend(boolean lenientFinish, int maxEventBytes, int maxResponseBytes) {
    backend =
        new OpenAiBackend(
            transport,
            config(lenientFinish),
            limits(maxEventBytes, maxResponseBytes),
            key(),
            "1.2.3");
  }

  static Dialect dialect() {
    return Dialect.of(config(false), limits(16 << 20, 4 << 20), key());
  }

  static BackendConfig config() {
    return config(false);
  }

  static UpstreamConfig limits() {
    return limits(16 << 20, 4 << 20);
  }

  private static BackendConfig config(boolean lenientFinish) {
    BackendUrl url = new BackendUrl("http://gpu:8000/v1", false, "gpu", 8000, null, "/v1");
    return new BackendConfig("gpu", url, null, BackendTls.DEFAULT, lenientFinish, 1, 1, false);
  }

  private static UpstreamConfig limits(int maxEventBytes, int maxResponseBytes) {
    Duration some = Duration.ofSeconds(2);
    return new UpstreamConfig(some, some, maxEventBytes, maxResponseBytes);
  }

  static ApiKey key() {
    try {
      Path file = Files.createTempFile("api", "key");
      try {
        return ApiKey.in("api-key-file", Files.writeString(file, KEY));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ChatRequest request(String prompt) {
    return new ChatRequest(
        "m",
        List.of(new ChatMessage(Role.USER, prompt)),
        16,
        Sampling.UNSET,
        Stopping.UNSET,
        TimeLimits.UNSET);
  }

  UpstreamCall stream() {
    return backend.chat(loop, request("hi"), true, Tracking.of("r1"), listener);
  }

  UpstreamCall unary() {
    return backend.chat(loop, request("hi"), false, Tracking.of("r1"), listener);
  }

  FakeTransport.Sent wire() {
    return transport.last();
  }

  static String chunk(String delta, String finish) {
    return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"logprobs\":null,\"finish_reason\":"
        + finish
        + "}]}";
  }

  static String token(String text) {
    return chunk("{\"content\":\"" + text + "\"}", "null");
  }

  static final String STOP = chunk("{\"content\":\"\"}", "\"stop\"");

  static final String USAGE =
      "{\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,"
          + "\"total_tokens\":7,\"completion_tokens\":2}}";
}
