package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A {@link CallLoop} over one Netty event loop. */
final class LoopThread implements CallLoop {
  /** The most that one {@link ResponseHandler#onBody} hands out. */
  static final int SCRATCH_BYTES = 64 * 1024;

  private final Loops owner;
  private final int index;
  private final EventLoop eventLoop;
  private byte[] scratch = new byte[0];

  LoopThread(Loops owner, int index, EventLoop eventLoop) {
    this.owner = owner;
    this.index = index;
    this.eventLoop = eventLoop;
  }

  boolean belongsTo(Loops loops) {
    return owner == loops;
  }

  int index() {
    return index;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  /**
   * Room for the bytes of one delivery, shared by all that happens on this loop; only there.
   * Allocated with the first use.
   */
  byte[] scratch() {
    if (scratch.length == 0) {
      scratch = new byte[SCRATCH_BYTES];
    }
    return scratch;
  }

  @Override
  public boolean isCurrent() {
    return eventLoop.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    eventLoop.execute(task);
  }

  @Override
  public Timer schedule(Duration delay, Runnable task) {
    Future<?> future = eventLoop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }
}
