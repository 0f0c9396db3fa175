package inferencegateway.upstream;

import inferencegateway.chat.AnswerListener;
import inferencegateway.chat.ChatRequest;
import inferencegateway.chat.Failure;
import inferencegateway.chat.Finish;
import inferencegateway.chat.Usage;
import inferencegateway.http.CallLoop;
import inferencegateway.http.Exchange;
import inferencegateway.http.HttpFault;
import inferencegateway.http.HttpRequest;
import inferencegateway.http.ResponseHandler;
import inferencegateway.http.ResponseHead;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One chat completion from its request to its single ending.
 *
 * <pre>
 *   OPEN -complete, fail-> SETTLING -end of body, time-> CLOSED
 *   OPEN -abort, fail for good-> CLOSED
 * </pre>
 *
 * <p>The listener hears only while it is OPEN. SETTLING lets the rest of the response through, so
 * that its connection can be used again.
 *
 * <p>Thread: the loop. {@link #abort}, {@link #pause} and {@link #resume} hop to it.
 */
final class ChatCall implements UpstreamCall, ResponseHandler {

  /** A backend that has said {@code [DONE]} ends its body in the same breath. */
  private static final Duration SETTLING = Duration.ofSeconds(1);

  /** The body of an error comes with its head, or it is not worth waiting for. */
  private static final Duration ERROR_BODY = Duration.ofSeconds(2);

  private enum State {
    OPEN,
    SETTLING,
    CLOSED
  }

  private final CallLoop loop;
  private final AnswerListener listener;
  private final BodyReaders readers;
  private final Answer answer;

  private State state = State.OPEN;
  private boolean sent;
  private boolean paused;
  private boolean cutOff;
  private @Nullable BodyReader reader;
  private CallLoop.@Nullable Timer timer;

  /** Written on the loop, read by whoever asks for the connection's use. */
  private volatile @Nullable Exchange exchange;

  /** Set by any thread, read by the loop and by the writer of the body; never unset. */
  private volatile boolean aborted;

  ChatCall(
      CallLoop loop,
      AnswerListener listener,
      Dialect dialect,
      boolean stream,
      ChatRequest request) {
    this.loop = loop;
    this.listener = listener;
    this.answer = new Answer(listener, this::isOpen);
    this.readers = new BodyReaders(this, answer, dialect, stream, request);
  }

  /** Whether anyone still waits. */
  boolean isOpen() {
    return state == State.OPEN && !aborted;
  }

  /** Asked by the writer of the body, from its own thread. */
  boolean isAborted() {
    return aborted;
  }

  /** On the loop. The transport may call back before it returns. */
  void send(Transport transport, HttpRequest request) {
    if (!isOpen()) {
      return;
    }
    Exchange started;
    try {
      started = transport.send(loop, request, this);
    } catch (RuntimeException e) {
      failForGood(WireFailures.bug(e));
      return;
    }
    exchange = started;
    if (state == State.CLOSED) {
      started.abort();
    } else if (paused && state == State.OPEN) {
      started.pause();
    }
  }

  // What others ask for.

  @Override
  public void abort() {
    aborted = true;
    onLoop(this::abortOnLoop);
  }

  private void abortOnLoop() {
    if (state == State.OPEN) {
      close();
    }
  }

  @Override
  public void whenClosed(Runnable then) {
    Exchange current = exchange;
    if (current != null) {
      current.whenClosed(then);
    }
  }

  @Override
  public void pause() {
    onLoop(() -> setPaused(true));
  }

  @Override
  public void resume() {
    onLoop(() -> setPaused(false));
  }

  private void setPaused(boolean pause) {
    if (!isOpen()) {
      return;
    }
    paused = pause;
    Exchange current = exchange;
    if (current != null && pause) {
      current.pause();
    } else if (current != null) {
      current.resume();
    }
  }

  @Override
  public Exchange.ConnectionUse connectionUse() {
    Exchange current = exchange;
    return current == null ? new Exchange.ConnectionUse(false, 0) : current.connectionUse();
  }

  @Override
  public boolean wasCutOff() {
    return cutOff;
  }

  @Override
  public @Nullable Usage usage() {
    return answer.usage();
  }

  private void onLoop(Runnable task) {
    if (loop.isCurrent()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  // What the wire says.

  @Override
  public void onSent() {
    if (isOpen() && !sent) {
      sent = true;
      listener.onSent();
    }
  }

  @Override
  public void onHead(ResponseHead head) {
    if (!isOpen()) {
      return;
    }
    reader = readers.of(head);
    if (isOpen() && reader instanceof ErrorReader) {
      timer = loop.schedule(ERROR_BODY, this::errorBodyIsLate);
    }
  }

  private void errorBodyIsLate() {
    if (isOpen()) {
      onFault(new HttpFault(HttpFault.Kind.CUT, "the body of an error did not come"));
      close();
    }
  }

  @Override
  public void onBody(byte[] bytes, int offset, int length) {
    if (isOpen()) {
      try {
        body().onBytes(bytes, offset, length);
      } catch (RuntimeException e) {
        failForGood(WireFailures.bug(e));
      }
    }
  }

  @Override
  public void onReadEnd() {
    if (isOpen()) {
      listener.onBatchEnd();
    }
  }

  @Override
  public void onEnd() {
    if (isOpen()) {
      guarded(() -> body().onEnd());
    }
    ended();
  }

  @Override
  public void onFault(HttpFault fault) {
    if (isOpen() && answer.hasAll()) {
      complete();
    } else if (isOpen() && reader == null) {
      fail(WireFailures.of(fault, false));
    } else if (isOpen()) {
      guarded(() -> body().onCut(fault));
    }
    ended();
  }

  private BodyReader body() {
    return Objects.requireNonNull(reader, "a body without a head");
  }

  /** A fault in our own reading ends this call only, not the loop. */
  private void guarded(Runnable reading) {
    try {
      reading.run();
    } catch (RuntimeException e) {
      failForGood(WireFailures.bug(e));
    }
  }

  // The single ending.

  /** What comes next is the failure of a backend that died while it answered. */
  void isCutOff() {
    cutOff = true;
  }

  /** The answer has come to its end, by {@code [DONE]} or by the end of the body. */
  void finish(boolean lenient) {
    if (answer.finish() == null && !(lenient && answer.hasDeltas())) {
      breakOff(); // Half a character that was kept back is not said: another may say it whole.
    } else {
      complete();
    }
  }

  /** A backend that loses the end of an answer is not trusted with its connection any more. */
  private void breakOff() {
    if (answer.hasDeltas()) {
      failForGood(answer.unfinished());
    } else {
      fail(answer.unfinished());
    }
  }

  /** The body ended in good order, but without the word that ends an answer. */
  void endMarkIsMissing() {
    Exchange current = exchange;
    if (current != null) {
      current.abort();
    }
  }

  private void complete() {
    answer.flush();
    if (isOpen()) {
      Finish finish = answer.finish();
      settle();
      listener.onCompleted(finish == null ? Finish.of("stop") : finish, answer.usage());
    }
  }

  /** The response is in order as HTTP, so its connection may serve again. */
  void fail(Failure failure) {
    if (isOpen()) {
      settle();
      listener.onFailed(failure);
    }
  }

  /** Nothing that this connection still brings can be used. */
  void failForGood(Failure failure) {
    if (isOpen()) {
      close();
      listener.onFailed(failure);
    }
  }

  private void settle() {
    stopTimer();
    state = State.SETTLING;
    timer = loop.schedule(SETTLING, this::close);
    Exchange current = exchange;
    if (current != null && paused) {
      current.resume();
    }
  }

  /** The exchange is over. */
  private void ended() {
    stopTimer();
    state = State.CLOSED;
  }

  private void close() {
    ended();
    Exchange current = exchange;
    if (current != null) {
      current.abort();
    }
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
