package inferencegateway.upstream;

import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpFault;
import inferencegateway.http.HttpRequest;
import inferencegateway.http.ResponseHandler;
import inferencegateway.http.ResponseHead;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks a backend once how busy it is. Answers once, on the loop; null when it does not say. */
final class LoadProbe implements ResponseHandler {

  private static final int MAX_BYTES = 4 * 1024 * 1024;
  private static final byte[] NO_BODY = {};

  private final Consumer<@Nullable EngineLoad> done;
  private final BodyBuffer body = new BodyBuffer(MAX_BYTES);
  private boolean answered;
  private int status;
  private @Nullable Exchange exchange;
  private CallLoop.@Nullable Timer timer;

  LoadProbe(Consumer<@Nullable EngineLoad> done) {
    this.done = done;
  }

  /** On the loop. */
  void start(Transport transport, CallLoop loop, Map<String, String> headers, Duration timeout) {
    timer = loop.schedule(timeout, this::abandon);
    Exchange started =
        transport.send(loop, new HttpRequest("GET", "/metrics", headers, NO_BODY), this);
    exchange = started;
    if (answered) {
      started.abort();
    }
  }

  private void abandon() {
    answer(null);
    if (exchange != null) {
      exchange.abort();
    }
  }

  private void answer(@Nullable EngineLoad load) {
    if (answered) {
      return;
    }
    answered = true;
    if (timer != null) {
      timer.cancel();
    }
    done.accept(load);
  }

  @Override
  public void onSent() {}

  @Override
  public void onHead(ResponseHead head) {
    status = head.status();
  }

  @Override
  public void onBody(byte[] bytes, int offset, int length) {
    if (!answered && !body.add(bytes, offset, length)) {
      abandon();
    }
  }

  @Override
  public void onReadEnd() {}

  @Override
  public void onEnd() {
    answer(status == 200 ? EngineMetrics.read(body.bytes(), body.length()) : null);
  }

  @Override
  public void onFault(HttpFault fault) {
    answer(null);
  }
}
