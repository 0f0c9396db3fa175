package inferencegateway.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Every frame of one connection in order. The reader adds; tests wait. */
final class FrameLog {
  private final List<Frame> frames = new ArrayList<>();
  private boolean closed;

  synchronized void add(Frame frame) {
    frames.add(frame);
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  synchronized List<Frame> all() {
    return List.copyOf(frames);
  }

  synchronized List<Frame> of(int stream) {
    return frames.stream().filter(frame -> frame.stream() == stream).toList();
  }

  synchronized Frame await(Predicate<Frame> wanted, Duration limit) {
    if (!waitUntil(() -> frames.stream().anyMatch(wanted) || closed, limit)
        || frames.stream().noneMatch(wanted)) {
      throw new AssertionError("no such frame within " + limit + "; " + this);
    }
    return frames.stream().filter(wanted).findFirst().orElseThrow();
  }

  /** Waits for {@code condition}, which is asked anew after every frame and at the close. */
  synchronized boolean waitUntil(BooleanSupplier condition, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      pause(left);
    }
    return true;
  }

  private void pause(long nanos) {
    try {
      wait(nanos / 1_000_000 + 1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a frame", e);
    }
  }

  @Override
  public synchronized String toString() {
    return (closed ? "closed, " : "open, ")
        + "received:\n  "
        + frames.stream().map(Frame::toString).collect(Collectors.joining("\n  "));
  }
}
