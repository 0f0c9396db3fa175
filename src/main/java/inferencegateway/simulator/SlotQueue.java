package inferencegateway.simulator;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine's batch: so many answers at once, the others wait in order of arrival. A member is
 * known by the identity of the task that starts it, which runs on whatever thread made room and
 * must hop to its own.
 *
 * <p>Guarded by its monitor: every loop enters and leaves.
 */
final class SlotQueue {

  private final int slots;
  private final int limit;
  private final Set<Runnable> running = new HashSet<>();
  private final Set<Runnable> waiting = new LinkedHashSet<>();

  SlotQueue(int slots, int limit) {
    this.slots = slots;
    this.limit = limit;
  }

  /** Takes a slot or a place in the queue; false when both are full. */
  boolean enter(Runnable start) {
    synchronized (this) {
      if (running.size() >= slots) {
        return waiting.size() < limit && waiting.add(start);
      }
      running.add(start);
    }
    start.run();
    return true;
  }

  /** Gives back the slot or the place; harmless when there is neither. */
  void leave(Runnable member) {
    Runnable next = release(member);
    if (next != null) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable release(Runnable member) {
    if (!running.remove(member)) {
      waiting.remove(member);
      return null;
    }
    Iterator<Runnable> first = waiting.iterator();
    if (!first.hasNext()) {
      return null;
    }
    Runnable next = first.next();
    first.remove();
    running.add(next);
    return next;
  }

  synchronized int running() {
    return running.size();
  }

  synchronized int waiting() {
    return waiting.size();
  }
}
