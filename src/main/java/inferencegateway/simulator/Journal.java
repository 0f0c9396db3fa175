package inferencegateway.simulator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The last thousand requests, and how many chats came and are open. Guarded by its monitor; waiters
 * wait on it.
 */
final class Journal {

  private static final int KEPT = 1_000;

  private final boolean recording;
  private final Deque<JournalEntry> entries = new ArrayDeque<>();
  private int chats;
  private int open;

  Journal(boolean recording) {
    this.recording = recording;
  }

  boolean isRecording() {
    return recording;
  }

  synchronized void add(JournalEntry entry) {
    if (recording) {
      if (entries.size() == KEPT) {
        entries.removeFirst();
      }
      entries.addLast(entry);
    }
  }

  synchronized void chatOpened() {
    open++;
  }

  /** The chat has its slot, its place in the queue, or its answer. */
  synchronized void chatSettled() {
    chats++;
    notifyAll();
  }

  /** Called when everything else about the chat has been counted and written down. */
  synchronized void chatEnded() {
    open--;
    notifyAll();
  }

  List<RecordedRequest> snapshot() {
    List<JournalEntry> copy;
    synchronized (this) {
      copy = new ArrayList<>(entries);
    }
    return copy.stream().map(JournalEntry::snapshot).toList();
  }

  boolean awaitIdle(Duration limit) throws InterruptedException {
    return await(() -> open == 0, limit);
  }

  boolean awaitChats(int count, Duration limit) throws InterruptedException {
    return await(() -> chats >= count, limit);
  }

  private synchronized boolean await(BooleanSupplier condition, Duration limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
