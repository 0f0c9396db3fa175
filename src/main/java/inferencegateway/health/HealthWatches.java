package inferencegateway.health;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The open Watch streams, so that they can be ended: the library keeps them open for ever, and one
 * would hold up every drain.
 *
 * <p>A stream is known here once its first message is out, and is completed only when no state can
 * change any more. So nobody else sends on it at that moment, and no lock is held while closing.
 */
final class HealthWatches implements ServerInterceptor {

  private final Set<Watch> open = ConcurrentHashMap.newKeySet();
  private volatile boolean completing;

  /** Ends every stream with OK, and later ones right after their first message. */
  void complete() {
    completing = true;
    open.forEach(Watch::complete);
  }

  int open() {
    return open.size();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    return call.getMethodDescriptor().getType().serverSendsOneMessage()
        ? listener
        : new WatchListener<>(listener, new Watch(call));
  }

  private final class Watch {
    private final ServerCall<?, ?> call;

    /** Whoever ends the stream first: the caller's cancel, or {@link HealthWatches#complete}. */
    private final AtomicBoolean ended = new AtomicBoolean();

    Watch(ServerCall<?, ?> call) {
      this.call = call;
    }

    void opened() {
      open.add(this);
      // A cancel or complete() may have looked before the line above.
      if (ended.get()) {
        open.remove(this);
      } else if (completing) {
        complete();
      }
    }

    void complete() {
      if (gone()) {
        call.close(Status.OK, new Metadata());
      }
    }

    boolean gone() {
      open.remove(this);
      return ended.compareAndSet(false, true);
    }
  }

  private static final class WatchListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final Watch watch;

    WatchListener(ServerCall.Listener<Q> delegate, Watch watch) {
      super(delegate);
      this.watch = watch;
    }

    /** The stub calls the service here: afterwards the first message is out. */
    @Override
    public void onHalfClose() {
      super.onHalfClose();
      watch.opened();
    }

    @Override
    public void onCancel() {
      watch.gone();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      watch.gone();
      super.onComplete();
    }
  }
}
