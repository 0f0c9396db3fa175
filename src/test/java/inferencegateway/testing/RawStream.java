package inferencegateway.testing;

import com.google.protobuf.MessageLite;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** One stream of a {@link RawH2}: what is sent on it, and what has come back. */
public final class RawStream {
  private static final Duration SEND_LIMIT = Duration.ofSeconds(10);
  private static final int PREFIX = 5;

  private final RawH2 connection;
  private final int id;
  private final FrameLog log;
  private final SendWindow window;

  RawStream(RawH2 connection, int id, FrameLog log, SendWindow window) {
    this.connection = connection;
    this.id = id;
    this.log = log;
    this.window = window;
  }

  public int id() {
    return id;
  }

  public RawStream message(MessageLite message) {
    return message(message.toByteArray());
  }

  /** A well-framed message of any bytes, uncompressed. */
  public RawStream message(byte[] bytes) {
    return framed(0, bytes.length, bytes);
  }

  /** A message whose flag says that it is compressed, whatever the bytes are. */
  public RawStream compressed(byte[] bytes) {
    return framed(1, bytes.length, bytes);
  }

  /** A prefix of any flag and length, and bytes that need not be as many. */
  public RawStream framed(int flag, int length, byte[] bytes) {
    byte[] all =
        ByteBuffer.allocate(PREFIX + bytes.length)
            .put((byte) flag)
            .putInt(length)
            .put(bytes)
            .array();
    return data(all);
  }

  /** DATA within the server's windows; what it no longer wants is left out. */
  public RawStream data(byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      int room = room(Math.min(bytes.length - at, FrameWriter.MAX_FRAME));
      if (room == 0) {
        return this;
      }
      connection.frame(FrameType.DATA, 0, id, Arrays.copyOfRange(bytes, at, at + room));
      at += room;
    }
    return this;
  }

  private int room(int wanted) {
    try {
      return window.take(id, wanted, SEND_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  public RawStream halfClose() {
    connection.frame(FrameType.DATA, Frame.END_STREAM, id, new byte[0]);
    return this;
  }

  /** Lets the server send so many bytes more on this stream. */
  public RawStream grant(int bytes) {
    connection.windowUpdate(id, bytes);
    return this;
  }

  /** Grants {@code bytes} every {@code interval} until closed: a slow reader. */
  public Pace grantAtPace(int bytes, Duration interval) {
    return Pace.start(interval, () -> grant(bytes));
  }

  /** RST_STREAM; 8 is CANCEL. */
  public RawStream reset(int errorCode) {
    connection.resetStream(id, errorCode);
    return this;
  }

  public List<Frame> frames() {
    return log.of(id);
  }

  /** Waits until the server has ended or reset the stream or the connection is gone. */
  public RawStream awaitEnd(Duration limit) {
    if (!log.waitUntil(() -> isEnded() || log.isClosed(), limit)) {
      throw new AssertionError("stream " + id + " not ended within " + limit + "; " + log);
    }
    return this;
  }

  public RawStream awaitMessages(int count, Duration limit) {
    if (!log.waitUntil(() -> messages().size() >= count || log.isClosed(), limit)
        || messages().size() < count) {
      throw new AssertionError(count + " messages not received within " + limit + "; " + log);
    }
    return this;
  }

  public boolean isEnded() {
    return frames().stream().anyMatch(f -> f.endsStream() || f.is(FrameType.RST_STREAM));
  }

  public List<Frame> headerFrames() {
    return frames().stream().filter(frame -> frame.is(FrameType.HEADERS)).toList();
  }

  /** The response's first headers, or null while there are none. In Trailers-Only: the trailers. */
  public @Nullable HeaderList headers() {
    List<Frame> all = headerFrames();
    return all.isEmpty() ? null : all.get(0).headers();
  }

  /** The last headers, or null when the stream did not end with any. */
  public @Nullable HeaderList trailers() {
    return headerFrames().stream()
        .filter(Frame::endsStream)
        .map(Frame::headers)
        .findFirst()
        .orElse(null);
  }

  /** Exactly one HEADERS frame, which ends the stream, and no DATA. */
  public boolean isTrailersOnly() {
    List<Frame> all = headerFrames();
    return all.size() == 1 && all.get(0).endsStream() && dataBytes() == 0;
  }

  /** The code of the server's RST_STREAM. */
  public OptionalInt resetCode() {
    return frames().stream()
        .filter(frame -> frame.is(FrameType.RST_STREAM))
        .mapToInt(Frame::errorCode)
        .findFirst();
  }

  /** {@code grpc-status} of the trailers. */
  public OptionalInt status() {
    HeaderList trailers = trailers();
    String status = trailers == null ? null : trailers.get("grpc-status");
    return status == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(status));
  }

  /** Bytes of DATA so far, prefixes included. */
  public int dataBytes() {
    return frames().stream().filter(f -> f.is(FrameType.DATA)).mapToInt(Frame::length).sum();
  }

  /** The complete messages so far, prefixes taken off. */
  public List<byte[]> messages() {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    frames().stream().filter(f -> f.is(FrameType.DATA)).forEach(f -> data.writeBytes(f.payload()));
    return split(ByteBuffer.wrap(data.toByteArray()));
  }

  private static List<byte[]> split(ByteBuffer data) {
    List<byte[]> messages = new ArrayList<>();
    while (data.remaining() >= PREFIX
        && data.remaining() - PREFIX >= data.getInt(data.position() + 1)) {
      byte[] message = new byte[data.position(data.position() + 1).getInt()];
      data.get(message);
      messages.add(message);
    }
    return messages;
  }
}
