package inferencegateway.simulator;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import java.util.List;

/**
 * One server-sent event but for the text of its tokens, encoded once and used for every token.
 *
 * @param before the bytes up to the tokens
 * @param after the bytes behind them, blank line included
 */
record Event(byte[] before, byte[] after) {

  private static final byte[] NOTHING = {};

  static Event of(byte[] whole) {
    return new Event(whole, NOTHING);
  }

  /** With these tokens in it, as one HTTP chunk or bare. The caller owns the buffer. */
  ByteBuf write(ByteBufAllocator allocator, List<Token> tokens, boolean chunked) {
    int size = before.length + after.length;
    for (Token token : tokens) {
      size += token.json().length;
    }
    ByteBuf out = allocator.buffer(size + 12);
    if (chunked) {
      out.writeBytes(Http1.chunkSize(size));
    }
    out.writeBytes(before);
    tokens.forEach(token -> out.writeBytes(token.json()));
    out.writeBytes(after);
    return chunked ? out.writeShort('\r' << 8 | '\n') : out;
  }
}
