package inferencegateway.bench;

import io.grpc.netty.shaded.io.netty.util.ByteProcessor;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * Reads one response after the other, byte by byte: where it ends, and the stamps in it. Knows as
 * much of HTTP as the simulator and the proxies speak. One connection's loop.
 */
final class HttpAnswer implements ByteProcessor {

  private enum State {
    HEAD,
    CHUNKED,
    MEASURED,
    COMPLETE,
    FAILED
  }

  /** The last eight bytes as one number. */
  private static final long TEXT_BEGINS = ascii("tent\":\" ");

  private static final long LAST_CHUNK = ascii("\n0\r\n\r\n");
  private static final long LAST_CHUNK_MASK = (1L << 48) - 1;
  private static final int LONGEST_HEAD = 8_192;

  private final LongConsumer stamps;
  private final StringBuilder head = new StringBuilder();
  private State state = State.HEAD;
  private long window;
  private long left;
  private long stamp;
  private boolean inStamp;

  /**
   * @param stamps hears of every token
   */
  HttpAnswer(LongConsumer stamps) {
    this.stamps = stamps;
  }

  private static long ascii(String text) {
    long packed = 0;
    for (int i = 0; i < text.length(); i++) {
      packed = packed << 8 | text.charAt(i);
    }
    return packed;
  }

  @Override
  public boolean process(byte value) {
    window = window << 8 | (value & 0xFF);
    switch (state) {
      case HEAD -> head(value);
      case CHUNKED -> {
        text(value);
        if ((window & LAST_CHUNK_MASK) == LAST_CHUNK) {
          state = State.COMPLETE;
        }
      }
      case MEASURED -> {
        if (--left == 0) {
          state = State.COMPLETE;
        }
      }
      case COMPLETE, FAILED -> state = State.FAILED; // Nobody asked for more.
    }
    return true;
  }

  private void head(byte value) {
    head.append((char) (value & 0xFF));
    if (head.length() > LONGEST_HEAD) {
      state = State.FAILED;
    } else if ((window & 0xFFFFFFFFL) == 0x0D0A0D0AL) {
      state = body(head.toString().toLowerCase(Locale.ROOT));
    }
  }

  private State body(String lines) {
    if (!lines.startsWith("http/1.1 200")) {
      return State.FAILED;
    }
    int at = lines.indexOf("\r\ncontent-length:");
    if (at < 0) {
      return lines.contains("\r\ntransfer-encoding: chunked") ? State.CHUNKED : State.FAILED;
    }
    left = Long.parseLong(lines.substring(at + 17, lines.indexOf('\r', at + 2)).strip());
    return left == 0 ? State.COMPLETE : State.MEASURED;
  }

  private void text(byte value) {
    if (window == TEXT_BEGINS) {
      begin();
    } else if (inStamp && value >= '0' && value <= '9') {
      stamp = stamp * 10 + value - '0';
    } else if (inStamp) {
      stamps.accept(stamp);
      inStamp = value == ' '; // The next token of a chunk that carries several.
      stamp = 0;
    }
  }

  private void begin() {
    inStamp = true;
    stamp = 0;
  }

  boolean isComplete() {
    return state == State.COMPLETE;
  }

  /** Not a good answer, or bytes after its end. */
  boolean isFailed() {
    return state == State.FAILED;
  }

  void restart() {
    state = State.HEAD;
    head.setLength(0);
    window = 0;
    inStamp = false;
  }
}
