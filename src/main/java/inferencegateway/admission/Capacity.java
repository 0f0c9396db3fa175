package inferencegateway.admission;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many calls one backend is given at once. Belongs to one {@link Gate}, whose lock guards it.
 */
public final class Capacity {

  private final int limit;
  private final AtomicInteger running = new AtomicInteger();

  /**
   * @param limit most calls at once, 1 and up
   */
  public Capacity(int limit) {
    this.limit = limit;
  }

  /** Calls that hold a place now; a moment's figure where it is read outside of the gate. */
  public int running() {
    return running.get();
  }

  boolean hasRoom() {
    return running.get() < limit;
  }

  void take() {
    running.incrementAndGet();
  }

  void giveBack() {
    running.decrementAndGet();
  }
}
