package inferencegateway.call;

/** The points of one call's life, by the monotonic clock. */
final class CallClock {

  private static final long UNSEEN = -1;

  private final long arrivedAt = System.nanoTime();
  private long queuedAt = UNSEEN;
  private long queue = UNSEEN;
  private long sentAt = UNSEEN;
  private long prefill = UNSEEN;
  private long firstToken = UNSEEN;
  private long total = UNSEEN;

  void queued() {
    queuedAt = System.nanoTime();
    sentAt = UNSEEN;
  }

  /** There was no waiting: it was refused at once. */
  void turnedAway() {
    queuedAt = UNSEEN;
  }

  /** After waiting once more, all waiting together. */
  void granted() {
    queue = (queue == UNSEEN ? 0 : queue) + System.nanoTime() - queuedAt;
  }

  /** The request has left for a backend that is to stream. */
  void sent() {
    sentAt = System.nanoTime();
  }

  void firstToken(long now) {
    firstToken = now - arrivedAt;
    prefill = sentAt == UNSEEN ? UNSEEN : now - sentAt;
  }

  void ended() {
    total = sinceArrival();
    if (queue == UNSEEN && queuedAt != UNSEEN) {
      queue = System.nanoTime() - queuedAt;
    }
    if (firstToken == UNSEEN && sentAt != UNSEEN) {
      prefill = System.nanoTime() - sentAt;
    }
  }

  long sinceArrival() {
    return System.nanoTime() - arrivedAt;
  }

  CallTiming timing() {
    return new CallTiming(queue, prefill, firstToken, total);
  }
}
