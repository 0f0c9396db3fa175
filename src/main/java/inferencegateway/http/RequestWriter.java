package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelFutureListener;

/**
 * Writes one request to one connection: a short one in a single buffer, a long body piece by piece
 * as the socket takes it, since Netty copies what it is given out of the heap. On the loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners return the future they were added to.
final class RequestWriter implements ChannelFutureListener {
  private static final int PIECE_BYTES = 64 * 1024;

  private final Channel channel;
  private final Connection connection;
  private final ClientExchange exchange;
  private final byte[] body;
  private int handedOver;
  private int pending;
  private boolean failed;

  RequestWriter(Channel channel, Connection connection, ClientExchange exchange) {
    this.channel = channel;
    this.connection = connection;
    this.exchange = exchange;
    this.body = exchange.request().body();
  }

  void start() {
    byte[] head = exchange.request().head();
    int first = Math.min(body.length, PIECE_BYTES);
    ByteBuf buffer = channel.alloc().ioBuffer(head.length + first);
    write(buffer.writeBytes(head).writeBytes(body, 0, first), first);
    more();
  }

  /** Goes on, as far as the channel takes more; may be called at any time. */
  void more() {
    while (handedOver < body.length && !failed && channel.isWritable()) {
      int length = Math.min(body.length - handedOver, PIECE_BYTES);
      write(Unpooled.wrappedBuffer(body, handedOver, length), length);
    }
  }

  private void write(ByteBuf piece, int bodyBytes) {
    // Counted first: the write may complete, or call more(), before it returns.
    handedOver += bodyBytes;
    pending++;
    channel.writeAndFlush(piece).addListener(this);
  }

  /** Whether the system has taken all of it. */
  boolean isDone() {
    return handedOver == body.length && pending == 0 && !failed;
  }

  @Override
  public void operationComplete(ChannelFuture write) {
    pending--;
    if (!write.isSuccess() && !failed) {
      failed = true;
      connection.writeFailed(exchange);
    } else if (isDone()) {
      connection.written(exchange);
    }
  }
}
