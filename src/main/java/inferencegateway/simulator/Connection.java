package inferencegateway.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFutureListener;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import io.grpc.netty.shaded.io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: requests one after the other, keep-alive, and noticing that the client has left.
 * It always reads, also while it answers, for that is how a disconnect is noticed.
 *
 * <pre>  IDLE -request-> ANSWERING -answered-> IDLE      abandoned, lost: any -> GONE </pre>
 */
@SuppressWarnings(
    "FutureReturnValueIgnored") // The channel tells of failed writes and closes by its own events.
final class Connection extends ChannelInboundHandlerAdapter {

  /** How a connection ends that will not be used again. */
  enum Goodbye {
    CLOSE,
    RESET,
    LATER
  }

  private static final int PIPELINED_AT_MOST = 16;
  private static final long RESET_DELAY_MILLIS = 20;
  private static final long LATER_MILLIS = 5_000;

  private final Engine engine;
  private final Routes routes;
  private final long number;
  private final Deque<HttpAsk> waiting = new ArrayDeque<>();
  private final RequestCollector collector = new RequestCollector();
  private @Nullable Channel channel;
  private @Nullable Exchange current;
  private @Nullable Future<?> idle;
  private int served;
  private boolean gone;
  private boolean stopping;

  Connection(Engine engine, Routes routes, long number) {
    this.engine = engine;
    this.routes = routes;
    this.number = number;
  }

  Channel channel() {
    if (channel == null) {
      throw new IllegalStateException("not connected");
    }
    return channel;
  }

  long number() {
    return number;
  }

  /** Requests answered before the present one. */
  int served() {
    return served;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    engine.tally().connections.increment();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    switch (collector.take(message)) {
      case COMPLETE -> arrived(collector.collected());
      case EXPECTS_CONTINUE -> write("HTTP/1.1 100 Continue\r\n\r\n");
      case TOO_LARGE ->
          refuse(
              "HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      case INVALID ->
          refuse(
              "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
                  + "content-length: 30\r\n\r\nInvalid HTTP request received.");
      case MORE -> {}
    }
  }

  private void arrived(HttpAsk ask) {
    if (gone) {
      return;
    }
    cancelIdle();
    if (current == null) {
      serve(ask);
    } else if (waiting.size() < PIPELINED_AT_MOST) {
      waiting.add(ask);
    } else {
      abandoned(Goodbye.CLOSE);
    }
  }

  private void serve(HttpAsk ask) {
    Exchange exchange = routes.exchange(this, ask);
    // First, since the answer may be complete before begin returns.
    current = exchange;
    exchange.begin();
  }

  private void refuse(String response) {
    if (!gone) {
      write(response);
      abandoned(Goodbye.CLOSE);
    }
  }

  private void write(String text) {
    channel().writeAndFlush(Unpooled.copiedBuffer(text, UTF_8), channel().voidPromise());
  }

  /** The present answer is complete. */
  void answered(boolean keepAlive, FaultSpec spec) {
    served++;
    endCurrent();
    if (!keepAlive) {
      abandoned(Goodbye.CLOSE);
      return;
    }
    Duration unsolicited = spec.duration(Fault.UNSOLICITED);
    if (unsolicited != null) {
      later(unsolicited.toNanos(), () -> write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    }
    Duration close = spec.duration(Fault.CLOSE_IDLE_AFTER);
    awaitNext(close == null ? engine.config().keepAlive() : close);
  }

  private void awaitNext(Duration keepAlive) {
    HttpAsk next = waiting.poll();
    if (next != null) {
      serve(next);
    } else if (!keepAlive.isZero()) {
      idle = later(keepAlive.toNanos(), () -> abandoned(Goodbye.CLOSE));
    }
  }

  /** Nothing more will be answered here. */
  void abandoned(Goodbye how) {
    if (gone) {
      return;
    }
    gone = true;
    cancelIdle();
    endCurrent();
    switch (how) {
      case CLOSE ->
          channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
      case RESET -> later(TimeUnit.MILLISECONDS.toNanos(RESET_DELAY_MILLIS), this::resetNow);
      case LATER -> later(TimeUnit.MILLISECONDS.toNanos(LATER_MILLIS), () -> channel().close());
    }
  }

  private void resetNow() {
    // A Unix socket has no reset: its peer sees an end of file.
    if (channel() instanceof SocketChannel) {
      channel().config().setOption(ChannelOption.SO_LINGER, 0);
    }
    channel().close();
  }

  private void endCurrent() {
    Exchange exchange = current;
    current = null;
    if (exchange != null) {
      exchange.ended();
    }
  }

  private ScheduledFuture<?> later(long nanos, Runnable task) {
    return channel().eventLoop().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  private void cancelIdle() {
    if (idle != null) {
      idle.cancel(false);
      idle = null;
    }
  }

  /** Closes because the simulator stops. Thread-safe. */
  void stop() {
    channel()
        .eventLoop()
        .execute(
            () -> {
              stopping = true;
              channel().close();
            });
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (current != null && context.channel().isWritable()) {
      current.writable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    engine.tally().connections.decrement();
    gone = true;
    cancelIdle();
    Exchange exchange = current;
    current = null;
    if (exchange != null) {
      exchange.lost(!stopping);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // A reset by the client, or a bug in here: either way this connection is over.
    context.close();
  }
}
