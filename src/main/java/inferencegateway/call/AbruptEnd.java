package inferencegateway.call;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Ends a stream by RST_STREAM. grpc-java has no public call for it, and a status would wait behind
 * data that the caller does not take. A context above the call's own, cancelled with
 * DEADLINE_EXCEEDED, makes the library reset the stream.
 */
public final class AbruptEnd extends ServerStreamTracer {

  private static final Context.Key<AbruptEnd> KEY = Context.key("abrupt-end");

  /** Null until the library has asked for it, before the call's handler runs. */
  private volatile Context.@Nullable CancellableContext above;

  private AbruptEnd() {}

  /** To be given to every server whose calls may need it. */
  public static final class Factory extends ServerStreamTracer.Factory {
    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
      return new AbruptEnd();
    }
  }

  /**
   * Resets the stream that {@code context} belongs to; does nothing where no factory was installed.
   */
  public static void of(Context context) {
    AbruptEnd tracer = KEY.get(context);
    if (tracer != null) {
      tracer.cancel(Status.DEADLINE_EXCEEDED.asException());
    }
  }

  private void cancel(@Nullable Throwable cause) {
    Context.CancellableContext context = above;
    if (context != null) {
      context.cancel(cause);
    }
  }

  @Override
  public Context filterContext(Context context) {
    Context.CancellableContext cancellable = context.withCancellation();
    above = cancellable;
    return cancellable.withValue(KEY, this);
  }

  @Override
  public void streamClosed(Status status) {
    cancel(null);
  }
}
