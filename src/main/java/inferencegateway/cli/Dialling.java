package inferencegateway.cli;

import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Connects a channel before a call is made, so that the call's clock counts the call alone. */
final class Dialling {

  private static final Duration SHORTEST = Duration.ofNanos(1);

  private Dialling() {}

  /**
   * Returns when the channel is connected, has failed to connect or its context is cancelled; the
   * call that follows tells which.
   *
   * @return what is left of the time; more than zero
   * @throws io.grpc.StatusRuntimeException DEADLINE_EXCEEDED when nothing is left
   */
  static Duration dial(ManagedChannel channel, Duration most) {
    long begun = System.nanoTime();
    Semaphore changed = new Semaphore(0);
    Context context = Context.current();
    Context.CancellationListener listener = cancelled -> changed.release();
    context.addListener(listener, Runnable::run);
    try {
      while (isUnderWay(channel.getState(true), channel, changed) && !context.isCancelled()) {
        if (!changed.tryAcquire(left(begun, most).toNanos(), TimeUnit.NANOSECONDS)) {
          throw Status.DEADLINE_EXCEEDED
              .withDescription("the time was over before there was a connection")
              .asRuntimeException();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      context.removeListener(listener);
    }
    return left(begun, most);
  }

  private static boolean isUnderWay(
      ConnectivityState state, ManagedChannel channel, Semaphore changed) {
    boolean underWay = state == ConnectivityState.IDLE || state == ConnectivityState.CONNECTING;
    if (underWay) {
      channel.notifyWhenStateChanged(state, changed::release);
    }
    return underWay;
  }

  private static Duration left(long begun, Duration most) {
    Duration left = most.minusNanos(System.nanoTime() - begun);
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }
}
