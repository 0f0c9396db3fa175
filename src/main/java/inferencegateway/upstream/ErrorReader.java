package inferencegateway.upstream;

import inferencegateway.chat.Failure;
import inferencegateway.http.HttpFault;
import java.util.function.Function;

/** Reads the body of an error status, as far as it is worth reading. */
final class ErrorReader implements BodyReader {

  private static final int MAX_BYTES = 64 * 1024;

  private final ChatCall call;
  private final Function<ErrorReply, Failure> failures;
  private final BodyBuffer body = new BodyBuffer(MAX_BYTES);

  ErrorReader(ChatCall call, Function<ErrorReply, Failure> failures) {
    this.call = call;
    this.failures = failures;
  }

  @Override
  public void onBytes(byte[] bytes, int offset, int length) {
    if (!body.add(bytes, offset, length)) {
      call.failForGood(failure());
    }
  }

  @Override
  public void onEnd() {
    call.fail(failure());
  }

  /** The status says enough. */
  @Override
  public void onCut(HttpFault fault) {
    call.fail(failure());
  }

  private Failure failure() {
    return failures.apply(ErrorReply.parse(body.bytes(), 0, body.length()));
  }
}
