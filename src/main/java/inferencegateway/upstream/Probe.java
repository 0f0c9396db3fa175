package inferencegateway.upstream;

import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpFault;
import inferencegateway.http.HttpRequest;
import inferencegateway.http.ResponseHandler;
import inferencegateway.http.ResponseHead;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One look at a backend: its models first, then {@code /health}, which only some have. Answers
 * once, on the loop.
 */
final class Probe {

  private static final int MAX_BYTES = 1024 * 1024;
  private static final byte[] NO_BODY = {};

  private final Transport transport;
  private final CallLoop loop;
  private final Map<String, String> headers;
  private final Consumer<ProbeAnswer> done;
  private boolean answered;
  private ProbeAnswer.@Nullable Up listed;
  private @Nullable Exchange exchange;
  private CallLoop.@Nullable Timer timer;

  Probe(
      Transport transport, CallLoop loop, Map<String, String> headers, Consumer<ProbeAnswer> done) {
    this.transport = transport;
    this.loop = loop;
    this.headers = headers;
    this.done = done;
  }

  /** On the loop. */
  void start(String modelsPath, Duration timeout) {
    timer =
        loop.schedule(
            timeout,
            () ->
                abandon(
                    ProbeAnswer.Kind.TIMEOUT, "no answer within " + timeout.toMillis() + " ms"));
    get(modelsPath, this::onModels);
  }

  private void get(String path, Consumer<Reply> next) {
    Exchange started =
        transport.send(loop, new HttpRequest("GET", path, headers, NO_BODY), new Reader(next));
    if (answered) {
      started.abort();
    } else {
      exchange = started;
    }
  }

  private void onModels(Reply reply) {
    if (reply.status() == 401 || reply.status() == 403) {
      down(ProbeAnswer.Kind.AUTH, "the backend refused the gateway's own key: see api-key-file");
    } else if (reply.status() != 200) {
      down(ProbeAnswer.Kind.STATUS, "GET models answered " + reply.status());
    } else {
      readModels(reply.body());
    }
  }

  private void readModels(BodyBuffer body) {
    try {
      listed = ModelList.parse(body.bytes(), 0, body.length());
    } catch (IOException | RuntimeException e) {
      down(ProbeAnswer.Kind.OTHER, "GET models did not answer with a list of models");
      return;
    }
    get("/health", this::onHealth);
  }

  /** Where there is no such path, or it is guarded, the models are proof enough. */
  private void onHealth(Reply reply) {
    if (reply.status() >= 500) {
      down(ProbeAnswer.Kind.STATUS, "GET /health answered " + reply.status());
    } else {
      answer(Objects.requireNonNull(listed, "health before models"));
    }
  }

  private void onFault(HttpFault fault) {
    ProbeAnswer.Kind kind =
        switch (fault.kind()) {
          case CONNECT -> ProbeAnswer.Kind.REFUSED;
          case CONNECT_TIMEOUT -> ProbeAnswer.Kind.TIMEOUT;
          case NO_RESPONSE, CUT, PROTOCOL, EXHAUSTED -> ProbeAnswer.Kind.OTHER;
        };
    down(kind, fault.detail());
  }

  private void abandon(ProbeAnswer.Kind kind, String detail) {
    Exchange running = exchange;
    down(kind, detail);
    if (running != null) {
      running.abort();
    }
  }

  private void down(ProbeAnswer.Kind kind, String detail) {
    answer(new ProbeAnswer.Down(kind, detail));
  }

  private void answer(ProbeAnswer result) {
    if (answered) {
      return;
    }
    answered = true;
    if (timer != null) {
      timer.cancel();
    }
    done.accept(result);
  }

  private record Reply(int status, BodyBuffer body) {}

  /** Collects one reply. */
  private final class Reader implements ResponseHandler {
    private final Consumer<Reply> next;
    private final BodyBuffer body = new BodyBuffer(MAX_BYTES);
    private int status;

    Reader(Consumer<Reply> next) {
      this.next = next;
    }

    @Override
    public void onSent() {}

    @Override
    public void onHead(ResponseHead head) {
      status = head.status();
    }

    @Override
    public void onBody(byte[] bytes, int offset, int length) {
      if (!body.add(bytes, offset, length) && !answered) {
        abandon(ProbeAnswer.Kind.OTHER, "the answer is above 1 MiB");
      }
    }

    @Override
    public void onReadEnd() {}

    @Override
    public void onEnd() {
      if (!answered) {
        next.accept(new Reply(status, body));
      }
    }

    @Override
    public void onFault(HttpFault fault) {
      Probe.this.onFault(fault);
    }
  }
}
