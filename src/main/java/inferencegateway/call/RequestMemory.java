package inferencegateway.call;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of requests are held in all, from their arrival until the backend begins to
 * answer. Above a limit new bytes are refused: what is admitted must fit. Thread-safe.
 */
public final class RequestMemory {

  /**
   * Calls below that are let through a little longer: it is the large ones that fill the memory.
   */
  private static final long SMALL_BYTES = 64 * 1024;

  private final long most;

  /** Written by every loop. */
  private final AtomicLong held = new AtomicLong();

  /**
   * Nothing is held yet.
   *
   * @param most bytes
   */
  public RequestMemory(long most) {
    this.most = most;
  }

  /**
   * An eighth of the heap: a request is there up to four times while it is turned from one form
   * into another.
   */
  public static RequestMemory ofThisProcess() {
    return new RequestMemory(Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * Counts bytes that have arrived; they are counted in any case.
   *
   * @param bytes more
   * @param ofCall what the call holds with them
   * @return whether the call may go on
   */
  boolean hold(long bytes, long ofCall) {
    long now = held.addAndGet(bytes);
    return now <= (ofCall <= SMALL_BYTES ? most + most / 4 : most);
  }

  void giveBack(long bytes) {
    held.addAndGet(-bytes);
  }

  /** Bytes held now. */
  public long held() {
    return held.get();
  }
}
