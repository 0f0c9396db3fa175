package inferencegateway.call;

import inferencegateway.chat.AnswerHead;
import inferencegateway.chat.Delta;

/**
 * Hands deltas to the caller as fast as it takes them. While it is not ready, what was already read
 * is merged into one message, and the backend is no longer read: TCP then holds it back.
 *
 * <p>Thread: the call's loop.
 */
final class Flow {

  /** What the flow needs of its call. */
  interface Source {
    /** Stop reading from the backend. */
    void pause();

    /** Read on. */
    void resume();
  }

  private final AnswerSink sink;
  private final Source source;
  private final Backlog backlog = new Backlog();
  private AnswerHead head = new AnswerHead("", "");
  private boolean paused;
  private long pausedAt;
  private long pausedNanos;

  Flow(AnswerSink sink, Source source) {
    this.sink = sink;
    this.source = source;
  }

  void head(AnswerHead head) {
    this.head = head;
  }

  AnswerHead head() {
    return head;
  }

  void offer(Delta delta) {
    if (backlog.isEmpty() && sink.isReady()) {
      sink.send(head, delta);
    } else {
      backlog.add(delta);
    }
  }

  /** One read is done. isReady speaks of the moment, so it is asked again before reading stops. */
  void batchEnded() {
    if (backlog.isEmpty()) {
      return;
    }
    if (sink.isReady()) {
      flush();
    } else if (!paused) {
      paused = true;
      pausedAt = System.nanoTime();
      source.pause();
    }
  }

  /** The caller takes data again. May come at any time and without need. */
  void ready() {
    if (!sink.isReady()) {
      return;
    }
    flush();
    if (paused) {
      paused = false;
      pausedNanos += System.nanoTime() - pausedAt;
      source.resume();
    }
  }

  /** Sends what waits, ready or not: the end of an answer is never held back. */
  void flush() {
    Delta all = backlog.take();
    if (all != null) {
      sink.send(head, all);
    }
  }

  boolean isPaused() {
    return paused;
  }

  /** Time spent waiting for the caller so far. */
  long pausedNanos(long now) {
    return paused ? pausedNanos + now - pausedAt : pausedNanos;
  }
}
