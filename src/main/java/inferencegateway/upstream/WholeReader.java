package inferencegateway.upstream;

import com.fasterxml.jackson.core.io.JsonEOFException;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.http.HttpFault;
import java.io.IOException;

/** Reads an answer that comes as one JSON object. */
final class WholeReader implements BodyReader {

  /** Field numbers, lengths, usage, timing, finish and ids around the text, generously. */
  private static final int MESSAGE_OVERHEAD = 1_024;

  private final ChatCall call;
  private final Answer answer;
  private final BodyReaders readers;
  private final Dialect dialect;
  private final boolean stream;
  private final BodyBuffer body;

  /**
   * @param stream whether the caller gets it in messages of its own making, so that only the body's
   *     limit holds
   */
  WholeReader(ChatCall call, Answer answer, BodyReaders readers, Dialect dialect, boolean stream) {
    this.call = call;
    this.answer = answer;
    this.readers = readers;
    this.dialect = dialect;
    this.stream = stream;
    this.body = new BodyBuffer(dialect.maxEventBytes());
  }

  @Override
  public void onBytes(byte[] bytes, int offset, int length) {
    if (!body.add(bytes, offset, length)) {
      call.failForGood(
          Failure.of(
              Reason.RESPONSE_TOO_LARGE,
              "the backend's answer is above limits.max-event-bytes ("
                  + dialect.maxEventBytes()
                  + "): stream it, or raise the limit"));
    }
  }

  @Override
  public void onEnd() {
    if (isBlank()) {
      call.fail(answer.unfinished());
      return;
    }
    try {
      take(new ChunkDecoder().decode(body.bytes(), 0, body.length()));
    } catch (JsonEOFException e) {
      call.failForGood(
          Failure.of(Reason.UPSTREAM_TRUNCATED, "the backend's answer ended inside its JSON"));
    } catch (IOException e) {
      call.failForGood(WireFailures.protocol("the backend's answer cannot be read as JSON"));
    }
  }

  private void take(Chunk chunk) {
    long size = stream ? 0 : Utf8Size.of(chunk.text) + Utf8Size.of(chunk.reasoning);
    if (chunk.isError()) {
      call.fail(readers.inBand(body.bytes(), 0, body.length()));
    } else if (chunk.hasOddContent) {
      call.failForGood(WireFailures.oddContent());
    } else if (size + MESSAGE_OVERHEAD > dialect.maxResponseBytes() && !stream) {
      call.fail(tooLarge(size));
    } else {
      deliver(chunk);
    }
  }

  private void deliver(Chunk chunk) {
    answer.add(chunk);
    Failure failure = answer.failedFinish();
    if (failure == null) {
      call.finish(dialect.lenientFinish());
    } else {
      call.fail(failure);
    }
  }

  private Failure tooLarge(long size) {
    return Failure.of(
        Reason.RESPONSE_TOO_LARGE,
        "the answer has "
            + size
            + " bytes, above limits.max-response-bytes ("
            + dialect.maxResponseBytes()
            + "): stream it, or raise that limit here and the maximum message size of the client");
  }

  /** Bytes of a whole answer mean that it was generated, even if none can be shown. */
  @Override
  public void onCut(HttpFault fault) {
    call.fail(WireFailures.of(fault, body.length() > 0));
  }

  private boolean isBlank() {
    for (int i = 0; i < body.length(); i++) {
      if (body.bytes()[i] < 0 || body.bytes()[i] > ' ') {
        return false;
      }
    }
    return true;
  }
}
