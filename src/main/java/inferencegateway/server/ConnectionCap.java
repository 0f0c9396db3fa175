package inferencegateway.server;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts accepted connections and closes those above the cap before anything is set up for them.
 *
 * <p>Sits in the listening channel's pipeline, ahead of the acceptor: there the message is the
 * accepted connection itself. Accepting runs on the boss loop, closing on the connection's own.
 */
@Sharable
final class ConnectionCap extends ChannelInboundHandlerAdapter {

  private static final Logger log = LoggerFactory.getLogger(ConnectionCap.class);

  private static final long PAUSE_SECONDS = 1;

  private static final long TELL_AGAIN = TimeUnit.SECONDS.toNanos(30);

  private final int cap;

  /** On the boss loop only. */
  private long lastTold;

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong rejected = new AtomicLong();

  /** One line each time the cap is reached, not one per connection. */
  private final AtomicBoolean full = new AtomicBoolean();

  ConnectionCap(int cap) {
    this.cap = cap;
  }

  int open() {
    return open.get();
  }

  long rejected() {
    return rejected.get();
  }

  /**
   * Accepting failed, as a rule for want of file descriptors. The system would report the waiting
   * connection again at once and for ever, so this listener looks away for a moment. Netty's own
   * acceptor does the same, but logs as if there were a bug.
   */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // closing the channel ends its loop's interest too
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    long now = System.nanoTime();
    if (lastTold == 0 || now - lastTold > TELL_AGAIN) {
      lastTold = now;
      log.warn(
          "A connection could not be accepted, callers wait; is `ulimit -n` too low? {}",
          cause.getMessage());
    }
    ctx.channel().config().setAutoRead(false);
    ctx.executor()
        .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the listener is called on any way to close
  public void channelRead(ChannelHandlerContext ctx, Object accepted) {
    Channel connection = (Channel) accepted;
    if (open.incrementAndGet() > cap) {
      reject(connection);
      return;
    }
    connection.closeFuture().addListener(closed -> release());
    ctx.fireChannelRead(accepted);
  }

  private void reject(Channel connection) {
    open.decrementAndGet();
    rejected.incrementAndGet();
    // It belongs to no event loop yet, so it cannot be closed in the ordinary way.
    connection.unsafe().closeForcibly();
    if (full.compareAndSet(false, true)) {
      log.warn("{} connections are open, more are closed at once (limits.connections)", cap);
    }
  }

  private void release() {
    if (open.decrementAndGet() <= cap - cap / 10 - 1) {
      full.set(false);
    }
  }
}
