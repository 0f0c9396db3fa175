package inferencegateway.testing;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Puts a cancellable context above each call's own, and notes how the library closed each. */
final class StreamCutter extends ServerStreamTracer.Factory {
  private final BlockingQueue<Context.CancellableContext> parents = new LinkedBlockingQueue<>();
  private final BlockingQueue<Status> closings = new LinkedBlockingQueue<>();

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new ServerStreamTracer() {
      @Override
      public Context filterContext(Context context) {
        Context.CancellableContext parent = context.withCancellation();
        parents.add(parent);
        return parent;
      }

      @Override
      public void streamClosed(Status status) {
        closings.add(status);
      }
    };
  }

  /** The context above the next call not yet taken. */
  Context.CancellableContext take() throws InterruptedException {
    Context.CancellableContext parent = parents.poll(5, TimeUnit.SECONDS);
    if (parent == null) {
      throw new AssertionError("no call came");
    }
    return parent;
  }

  Status takeClosing() throws InterruptedException {
    Status status = closings.poll(5, TimeUnit.SECONDS);
    if (status == null) {
      throw new AssertionError("no call was closed");
    }
    return status;
  }
}
