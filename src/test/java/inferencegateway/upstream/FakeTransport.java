package inferencegateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpFault;
import inferencegateway.http.HttpRequest;
import inferencegateway.http.ResponseHandler;
import inferencegateway.http.ResponseHead;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A backend whose bytes the test writes itself; keeps the promises of {@link ResponseHandler}. */
final class FakeTransport implements Transport {

  final List<Sent> sent = new ArrayList<>();

  @Override
  public Exchange send(CallLoop loop, HttpRequest request, ResponseHandler handler) {
    Sent exchange = new Sent(request, handler);
    sent.add(exchange);
    return exchange;
  }

  Sent last() {
    return sent.get(sent.size() - 1);
  }

  static final class Sent implements Exchange {
    @Override
    public void whenClosed(Runnable then) {
      then.run();
    }

    final HttpRequest request;
    private final ResponseHandler handler;
    boolean aborted;
    boolean paused;
    private boolean over;

    Sent(HttpRequest request, ResponseHandler handler) {
      this.request = request;
      this.handler = handler;
    }

    Sent sent() {
      if (isLive()) {
        handler.onSent();
      }
      return this;
    }

    Sent head(int status, String contentType) {
      return head(status, contentType, "");
    }

    Sent head(int status, String contentType, String retryAfter) {
      if (isLive()) {
        handler.onHead(new ResponseHead(status, contentType, retryAfter));
      }
      return this;
    }

    Sent events() {
      return sent().head(200, "text/event-stream");
    }

    Sent json(int status, String body) {
      return sent().head(status, "application/json").body(body).end();
    }

    Sent event(String data) {
      return body("data: " + data + "\n\n");
    }

    Sent body(String text) {
      return body(text.getBytes(UTF_8));
    }

    /** In an array that is wiped afterwards, at an odd place in it. */
    Sent body(byte[] bytes) {
      byte[] reused = new byte[bytes.length + 7];
      System.arraycopy(bytes, 0, reused, 3, bytes.length);
      if (isLive()) {
        handler.onBody(reused, 3, bytes.length);
      }
      Arrays.fill(reused, (byte) '#');
      if (isLive()) {
        handler.onReadEnd();
      }
      return this;
    }

    Sent end() {
      if (isLive()) {
        over = true;
        handler.onEnd();
      }
      return this;
    }

    Sent fault(HttpFault.Kind kind) {
      if (isLive()) {
        over = true;
        handler.onFault(new HttpFault(kind, "fault " + kind));
      }
      return this;
    }

    private boolean isLive() {
      return !aborted && !over;
    }

    /** Over without having been cut by us: its connection can serve again. */
    boolean isReusable() {
      return over && !aborted;
    }

    @Override
    public void abort() {
      aborted = true;
    }

    @Override
    public void pause() {
      paused = true;
    }

    @Override
    public void resume() {
      paused = false;
    }

    @Override
    public ConnectionUse connectionUse() {
      return new ConnectionUse(true, 1);
    }
  }
}
