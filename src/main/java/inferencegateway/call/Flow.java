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

  /**
   * Longest message made of merged deltas. The transport tells of progress message by message, so
   * for a caller of 1 KB/s this is a sign of life every 16 s.
   */
  private static final int MERGED_CHARS = 16_384;

  /** What the flow needs of its call. */
  interface Source {
    /** Stop reading from the backend. */
    void pause();

    /** Read on. */
    void resume();

    /** Still paused, but the caller has taken something. */
    void callerMoved();
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
      if (!paused && backlog.chars() > MERGED_CHARS) {
        pause(); // One batch may be many reads; this stops it after the present one.
      }
    }
  }

  /** One read is done. isReady speaks of the moment, so it is asked again before reading stops. */
  void batchEnded() {
    drainWhileReady();
    if (!backlog.isEmpty() && !paused) {
      pause();
    }
  }

  private void pause() {
    paused = true;
    pausedAt = System.nanoTime();
    source.pause();
  }

  /**
   * Somebody else goes on with the answer. What waits still waits; whether to hold the new one back
   * too shows when it has sent something.
   */
  void newSource() {
    pausedNanos = pausedNanos(System.nanoTime());
    paused = false;
  }

  /** The caller has taken data. May come at any time and without need. */
  void ready() {
    drainWhileReady();
    if (paused && backlog.isEmpty()) {
      paused = false;
      pausedNanos += System.nanoTime() - pausedAt;
      source.resume();
    } else if (paused) {
      source.callerMoved();
    }
  }

  private void drainWhileReady() {
    while (!backlog.isEmpty() && sink.isReady()) {
      sink.send(head, backlog.take(MERGED_CHARS));
    }
  }

  /** Sends all that waits, ready or not: the end of an answer is never held back. */
  void flush() {
    while (!backlog.isEmpty()) {
      sink.send(head, backlog.take(MERGED_CHARS));
    }
  }

  /** Time spent waiting for the caller so far. */
  long pausedNanos(long now) {
    return paused ? pausedNanos + now - pausedAt : pausedNanos;
  }
}
