package inferencegateway.upstream;

import inferencegateway.chat.Failure;
import inferencegateway.chat.Reason;
import inferencegateway.http.HttpFault;
import inferencegateway.http.SseFramer;
import java.io.IOException;

/** Reads a streamed answer: one chunk an event, {@code [DONE]} last. */
final class StreamReader implements BodyReader, SseFramer.Sink {

  private static final byte[] DONE = {'[', 'D', 'O', 'N', 'E', ']'};

  private final ChatCall call;
  private final Answer answer;
  private final BodyReaders readers;
  private final Dialect dialect;
  private final SseFramer framer;
  private final ChunkDecoder decoder = new ChunkDecoder();

  StreamReader(ChatCall call, Answer answer, BodyReaders readers, Dialect dialect) {
    this.call = call;
    this.answer = answer;
    this.readers = readers;
    this.dialect = dialect;
    this.framer = new SseFramer(dialect.maxEventBytes(), this);
  }

  @Override
  public void onBytes(byte[] bytes, int offset, int length) {
    framer.feed(bytes, offset, length);
  }

  /** An event that was still unfinished does not count (WHATWG, 9.2.6). */
  @Override
  public void onEnd() {
    framer.end();
    if (call.isOpen()) {
      if (answer.finish() != null) {
        call.endMarkIsMissing();
      } else {
        call.isCutOff();
      }
      call.finish(dialect.lenientFinish());
    }
  }

  @Override
  public void onCut(HttpFault fault) {
    if (fault.kind() == HttpFault.Kind.CUT) {
      call.isCutOff();
    }
    call.fail(WireFailures.of(fault, answer.hasDeltas()));
  }

  @Override
  public void onEvent(byte[] data, int offset, int length) {
    int start = offset;
    int end = offset + length;
    while (start < end && data[start] <= ' ' && data[start] >= 0) {
      start++;
    }
    while (end > start && data[end - 1] <= ' ' && data[end - 1] >= 0) {
      end--;
    }
    if (start < end && call.isOpen()) {
      read(data, start, end - start);
    }
  }

  private void read(byte[] data, int offset, int length) {
    if (isDone(data, offset, length)) {
      call.finish(dialect.lenientFinish());
      return;
    }
    try {
      take(decoder.decode(data, offset, length), data, offset, length);
    } catch (IOException e) {
      call.failForGood(WireFailures.protocol("the backend sent an event that cannot be read"));
    }
  }

  private static boolean isDone(byte[] data, int offset, int length) {
    return length == DONE.length
        && java.util.Arrays.equals(data, offset, offset + length, DONE, 0, DONE.length);
  }

  private void take(Chunk chunk, byte[] data, int offset, int length) {
    if (chunk.isError()) {
      call.fail(readers.inBand(data, offset, length));
      return;
    }
    if (chunk.hasOddContent) {
      call.failForGood(WireFailures.oddContent());
      return;
    }
    answer.add(chunk);
    Failure failure = answer.failedFinish();
    if (failure != null) {
      if (failure.reason() == Reason.UPSTREAM_ABORTED) {
        call.isCutOff();
      }
      call.fail(failure);
    }
  }

  @Override
  public void onTooLarge() {
    call.failForGood(
        Failure.of(
            Reason.UPSTREAM_EVENT_TOO_LARGE,
            "the backend sent an event above limits.max-event-bytes ("
                + dialect.maxEventBytes()
                + ")"));
  }
}
