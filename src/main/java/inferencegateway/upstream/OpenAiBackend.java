package inferencegateway.upstream;

import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Tracking;
import inferencegateway.config.ApiKey;
import inferencegateway.config.BackendConfig;
import inferencegateway.config.UpstreamConfig;
import inferencegateway.http.CallLoop;
import inferencegateway.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server that speaks OpenAI's HTTP API, as vLLM does. Never retries and never follows.
 *
 * <p>Threads: everything of a call happens on its loop, but for writing large bodies. The threads
 * for those are daemons, start with the first such body and end when idle.
 */
public final class OpenAiBackend {

  private static final int WRITERS = 2;

  private final Transport transport;
  private final Dialect dialect;
  private final RequestHeaders headers;
  private final String basePath;
  private final ThreadPoolExecutor writers = newWriters();

  /**
   * @param apiKey asked once a request
   * @param version the gateway's own, for the user-agent
   */
  public OpenAiBackend(
      Transport transport,
      BackendConfig backend,
      UpstreamConfig limits,
      ApiKey apiKey,
      String version) {
    this.transport = transport;
    this.dialect = Dialect.of(backend, limits, apiKey);
    this.headers = new RequestHeaders(version, apiKey::secret);
    this.basePath = backend.url().basePath();
  }

  /**
   * Asks for one answer. On {@code loop}, or from anywhere; the listener may be called before the
   * return only on the loop.
   *
   * @param stream whether the backend is to send the answer as it grows
   * @param tracking its request id is made unique before it is sent
   */
  public UpstreamCall chat(
      CallLoop loop,
      ChatRequest request,
      boolean stream,
      Tracking tracking,
      AnswerListener listener) {
    ChatCall call = new ChatCall(loop, listener, dialect, stream, request);
    if (loop.isCurrent() && !ChatBody.isLarge(request)) {
      call.send(transport, post(ChatBody.write(request, stream), stream, tracking));
    } else {
      writers.execute(() -> writeAndSend(loop, call, request, stream, tracking));
    }
    return call;
  }

  /** On a writer. Nobody may be waiting any more, before as well as after the writing. */
  private void writeAndSend(
      CallLoop loop, ChatCall call, ChatRequest request, boolean stream, Tracking tracking) {
    if (call.isAborted()) {
      return;
    }
    try {
      HttpRequest post = post(ChatBody.write(request, stream), stream, tracking);
      loop.execute(() -> call.send(transport, post));
    } catch (RuntimeException e) {
      loop.execute(() -> call.failForGood(WireFailures.bug(e)));
    }
  }

  private HttpRequest post(byte[] body, boolean stream, Tracking tracking) {
    return new HttpRequest(
        "POST", basePath + "/chat/completions", headers.chat(stream, tracking), body);
  }

  /**
   * Asks whether the backend serves, and what. May be called from anywhere; answers once, on the
   * loop.
   *
   * @param timeout for all of it
   */
  public void probe(CallLoop loop, Duration timeout, Consumer<ProbeAnswer> done) {
    Probe probe = new Probe(transport, loop, headers.probe(), done);
    loop.execute(() -> probe.start(basePath + "/models", timeout));
  }

  /**
   * Asks how busy the backend is. May be called from anywhere; answers once, on the loop, with null
   * when it does not say.
   *
   * @param timeout for all of it
   */
  public void load(CallLoop loop, Duration timeout, Consumer<@Nullable EngineLoad> done) {
    loop.execute(() -> new LoadProbe(done).start(transport, loop, headers.probe(), timeout));
  }

  /**
   * Loads and exercises the code that the first call would wait for: about half a second of class
   * loading. Touches no network. Call it off the loops.
   */
  public static void warmUp() {
    WarmUp.run();
  }

  private static ThreadPoolExecutor newWriters() {
    ThreadPoolExecutor writers =
        new ThreadPoolExecutor(
            WRITERS,
            WRITERS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "upstream-writer");
              thread.setDaemon(true);
              return thread;
            });
    writers.allowCoreThreadTimeOut(true);
    return writers;
  }
}
