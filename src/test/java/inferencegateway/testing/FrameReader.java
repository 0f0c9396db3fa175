package inferencegateway.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Takes frames off the wire. One thread: the connection's reader. */
final class FrameReader {
  private final DataInputStream in;
  private final HeaderBlocks headerBlocks = new HeaderBlocks();

  FrameReader(InputStream in) {
    this.in = new DataInputStream(in);
  }

  /** Blocks for the next frame; throws at the end of the connection, however it ended. */
  Frame next() throws IOException {
    Frame frame = nextRaw();
    return frame.type() == FrameType.HEADERS ? withFields(frame) : unpadded(frame);
  }

  private Frame nextRaw() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    FrameType type = FrameType.of(in.readUnsignedByte());
    int flags = in.readUnsignedByte();
    int stream = in.readInt() & 0x7fff_ffff;
    byte[] payload = in.readNBytes(length);
    if (payload.length < length) {
      throw new IOException("the connection ended within a frame");
    }
    return frame(type, flags, stream, payload, null);
  }

  private Frame withFields(Frame first) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.writeBytes(unpadded(first).payload());
    Frame part = first;
    while ((part.flags() & Frame.END_HEADERS) == 0) {
      part = nextRaw();
      block.writeBytes(part.payload());
    }
    byte[] whole = block.toByteArray();
    HeaderList fields = headerBlocks.decode(first.stream(), whole);
    return frame(first.type(), first.flags(), first.stream(), whole, fields);
  }

  private static Frame unpadded(Frame frame) {
    boolean headers = frame.type() == FrameType.HEADERS;
    boolean padded = (frame.flags() & Frame.PADDED) != 0;
    int skip = headers && (frame.flags() & Frame.PRIORITY) != 0 ? 5 : 0;
    if (!padded && skip == 0 || !headers && frame.type() != FrameType.DATA) {
      return frame;
    }
    byte[] all = frame.payload();
    int from = (padded ? 1 : 0) + skip;
    byte[] rest = Arrays.copyOfRange(all, from, all.length - (padded ? all[0] & 0xff : 0));
    return frame(frame.type(), frame.flags(), frame.stream(), rest, null);
  }

  private static Frame frame(
      FrameType type, int flags, int stream, byte[] payload, @Nullable HeaderList fields) {
    return new Frame(type, flags, stream, payload, fields, System.nanoTime());
  }
}
