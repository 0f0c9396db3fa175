package inferencegateway.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseDecoder;

/**
 * Netty's response decoder, which also says what it hides: that bytes came at all, and that some
 * are left over.
 *
 * <p>Without the codec's request side: HEAD and CONNECT are never sent, and the request's bytes are
 * written as they are.
 */
final class ResponseDecoder extends HttpResponseDecoder {
  private static final int MAX_STATUS_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  private final Connection connection;

  ResponseDecoder(Connection connection) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_STATUS_LINE_BYTES)
            .setMaxHeaderSize(MAX_HEAD_BYTES)
            .setMaxChunkSize(LoopThread.SCRATCH_BYTES));
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
    if (msg instanceof ByteBuf bytes && !connection.mayDecode(bytes)) {
      bytes.release();
      return;
    }
    super.channelRead(ctx, msg);
  }

  /** Bytes that came and belong to nothing decoded so far. */
  boolean hasLeftOver() {
    return actualReadableBytes() > 0;
  }
}
