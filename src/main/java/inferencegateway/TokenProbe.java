package inferencegateway;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatMessage;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Delta;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Role;
import inferencegateway.chat.Sampling;
import inferencegateway.chat.Stopping;
import inferencegateway.chat.TimeLimits;
import inferencegateway.chat.Tracking;
import inferencegateway.chat.Usage;
import inferencegateway.http.CallLoop;
import inferencegateway.http.Loops;
import inferencegateway.upstream.OpenAiBackend;
import inferencegateway.upstream.UpstreamCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Asks a backend that hangs for one token. Only a token shows that an engine works again, and once
 * the gateway is not ready no caller may come to bring one. The only call that the gateway ever
 * makes by itself; never to a backend that does not hang.
 */
final class TokenProbe {

  private final Loops loop;
  private final OpenAiBackend api;
  private final Duration patience;
  private final Runnable token;

  /** One at a time: set by the prober's thread, unset on the loop. */
  private final AtomicBoolean asking = new AtomicBoolean();

  /**
   * @param patience how long one may wait; then the next may be asked
   * @param token run on the loop when one has come
   */
  TokenProbe(Loops loop, OpenAiBackend api, Duration patience, Runnable token) {
    this.loop = loop;
    this.api = api;
    this.patience = patience;
    this.token = token;
  }

  /** Does nothing while one is under way. */
  void ask(String model) {
    if (asking.compareAndSet(false, true)) {
      CallLoop here = loop.next();
      here.execute(() -> new Attempt(here).start(model));
    }
  }

  private static ChatRequest oneToken(String model) {
    return new ChatRequest(
        model,
        List.of(new ChatMessage(Role.USER, "ping")),
        1,
        Sampling.UNSET,
        Stopping.UNSET,
        TimeLimits.UNSET);
  }

  private final class Attempt implements AnswerListener {
    private final CallLoop here;
    private @Nullable UpstreamCall call;
    private CallLoop.@Nullable Timer timer;

    Attempt(CallLoop here) {
      this.here = here;
    }

    void start(String model) {
      timer = here.schedule(patience, this::over);
      call = api.chat(here, oneToken(model), true, Tracking.of("token-probe"), this);
    }

    private void over() {
      if (timer != null) {
        timer.cancel();
        timer = null;
        asking.set(false);
      }
      if (call != null) {
        call.abort();
      }
    }

    @Override
    public void onSent() {}

    @Override
    public void onHead(AnswerHead head) {}

    @Override
    public void onDelta(Delta delta) {
      token.run();
    }

    @Override
    public void onBatchEnd() {}

    @Override
    public void onCompleted(Finish finish, @Nullable Usage usage) {
      token.run();
      over();
    }

    @Override
    public void onFailed(Failure failure) {
      over();
    }
  }
}
