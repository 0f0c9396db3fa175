package inferencegateway.testing;

import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * HPACK (RFC 7541). Writes every field as a literal without indexing, so that any bytes can be
 * said; reads with Netty's decoder, whose table belongs to one connection.
 */
final class HeaderBlocks {
  private static final long MAX_LIST = 1 << 20;
  private final DefaultHttp2HeadersDecoder decoder =
      new DefaultHttp2HeadersDecoder(false, MAX_LIST);

  static byte[] encode(List<Map.Entry<String, String>> fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Map.Entry<String, String> field : fields) {
      out.write(0);
      writeString(out, field.getKey());
      writeString(out, field.getValue());
    }
    return out.toByteArray();
  }

  private static void writeString(ByteArrayOutputStream out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    writeLength(out, bytes.length);
    out.writeBytes(bytes);
  }

  /** A 7-bit prefix integer, Huffman bit clear (RFC 7541 section 5.1). */
  private static void writeLength(ByteArrayOutputStream out, int length) {
    if (length < 0x7f) {
      out.write(length);
      return;
    }
    out.write(0x7f);
    int rest = length - 0x7f;
    while (rest >= 0x80) {
      out.write(rest & 0x7f | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  HeaderList decode(int stream, byte[] block) throws IOException {
    List<Map.Entry<String, String>> fields = new ArrayList<>();
    try {
      decoder
          .decodeHeaders(stream, Unpooled.wrappedBuffer(block))
          .forEach(f -> fields.add(Map.entry(f.getKey().toString(), f.getValue().toString())));
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
    return new HeaderList(fields);
  }
}
