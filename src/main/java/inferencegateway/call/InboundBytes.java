package inferencegateway.call;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one call's request takes while it is being received, before any handler sees it: a
 * message is handed over only when it is whole.
 *
 * <p>Thread: the call's loop.
 */
public final class InboundBytes extends ServerStreamTracer {

  private static final Context.Key<InboundBytes> KEY = Context.key("inbound-bytes");

  private final RequestMemory memory;
  private long onTheWire;
  private long unpacked;
  private long held;
  private boolean done;
  private boolean tooMuch;
  private @Nullable Runnable refuse;

  private InboundBytes(RequestMemory memory) {
    this.memory = memory;
  }

  /** To be given to every server whose calls are to be counted. */
  public static final class Factory extends ServerStreamTracer.Factory {
    private final RequestMemory memory;

    public Factory(RequestMemory memory) {
      this.memory = memory;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
      return new InboundBytes(memory);
    }
  }

  /**
   * Tells when the call's bytes are too much; at once if they are already. Nothing where no factory
   * was installed.
   */
  static void watch(Context context, Runnable refuse) {
    InboundBytes bytes = KEY.get(context);
    if (bytes != null) {
      bytes.refuse = refuse;
      bytes.refuseIfTooMuch();
    }
  }

  /** The request is no longer needed. */
  static void release(Context context) {
    InboundBytes bytes = KEY.get(context);
    if (bytes != null) {
      bytes.release();
    }
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(KEY, this);
  }

  @Override
  public void inboundWireSize(long bytes) {
    onTheWire += bytes;
    hold();
  }

  @Override
  public void inboundUncompressedSize(long bytes) {
    unpacked += bytes;
    hold();
  }

  private void hold() {
    long more = Math.max(onTheWire, unpacked) - held;
    if (more > 0 && !done) {
      held += more;
      tooMuch |= !memory.hold(more, held);
      refuseIfTooMuch();
    }
  }

  private void refuseIfTooMuch() {
    Runnable step = refuse;
    if (tooMuch && step != null) {
      refuse = null;
      step.run();
    }
  }

  @Override
  public void streamClosed(Status status) {
    release();
  }

  private void release() {
    if (!done) {
      done = true;
      memory.giveBack(held);
    }
  }
}
