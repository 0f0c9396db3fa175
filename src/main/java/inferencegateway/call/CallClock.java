package inferencegateway.call;

/** The points of one call's life, by the monotonic clock. */
final class CallClock {

  private static final long UNSEEN = -1;

  private final long arrivedAt = System.nanoTime();
  private long queuedAt = UNSEEN;
  private long queue = UNSEEN;
  private long firstToken = UNSEEN;
  private long total = UNSEEN;

  void queued() {
    queuedAt = System.nanoTime();
  }

  /** After waiting once more, all waiting together. */
  void granted() {
    queue = (queue == UNSEEN ? 0 : queue) + System.nanoTime() - queuedAt;
  }

  void firstToken(long now) {
    firstToken = now - arrivedAt;
  }

  void ended() {
    total = sinceArrival();
    if (queue == UNSEEN && queuedAt != UNSEEN) {
      queue = System.nanoTime() - queuedAt;
    }
  }

  long sinceArrival() {
    return System.nanoTime() - arrivedAt;
  }

  CallTiming timing() {
    return new CallTiming(queue, firstToken, total);
  }
}
