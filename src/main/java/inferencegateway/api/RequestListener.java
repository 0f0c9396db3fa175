package inferencegateway.api;

import inferencegateway.call.ActiveCall;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import io.grpc.ServerCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears what the transport tells of one call and passes it on as the call's own events. */
final class RequestListener<Q> extends ServerCall.Listener<Incoming<Q>> {

  private static final Logger LOG = LoggerFactory.getLogger(RequestListener.class);

  private final ActiveCall call;
  private final ChatMethod.Reader<Q> reader;
  private @Nullable Q message;

  RequestListener(ActiveCall call, ChatMethod.Reader<Q> reader) {
    this.call = call;
    this.reader = reader;
  }

  @Override
  public void onMessage(Incoming<Q> incoming) {
    Failure fault = incoming.fault();
    if (fault != null) {
      call.reject(fault);
    } else if (message != null) {
      call.reject(
          Failure.of(Reason.REQUEST_COUNT, "this method takes one request, more were sent"));
    } else {
      message = incoming.message();
    }
  }

  @Override
  public void onHalfClose() {
    Q asked = message;
    if (asked == null) {
      call.reject(Failure.of(Reason.REQUEST_COUNT, "this method takes one request, none was sent"));
      return;
    }
    message = null; // A prompt may be large and the answer long.
    try {
      run(asked);
    } catch (RuntimeException e) {
      call.log(LOG.atError()).setCause(e).log("a request could not be run");
      call.reject(Failure.of(Reason.BUG, "the gateway failed on this request; please report it"));
    }
  }

  private void run(Q asked) {
    Violations violations = new Violations();
    ChatRequest request = reader.read(asked, violations);
    if (violations.isEmpty()) {
      call.run(request);
    } else {
      call.reject(Failure.invalid(violations.found()));
    }
  }

  @Override
  public void onReady() {
    call.ready();
  }

  @Override
  public void onCancel() {
    call.streamClosed();
  }

  @Override
  public void onComplete() {
    call.streamClosed();
  }
}
